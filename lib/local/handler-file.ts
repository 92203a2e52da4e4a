import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';

/** A handler, found. */
export interface HandlerFile {
  /** Absolute path of the module. */
  readonly file: string;
  readonly exportName: string;
  /** The module's name without its ending, which names the function. */
  readonly functionName: string;
}

/** TypeScript runs as it is where Node strips types (24, and 22.18 or later). */
const endings = ['.ts', '.mts', '.js', '.mjs', '.cjs'];

/**
 * Finds the module a Lambda handler string names: `dist/orders.handler` is the export `handler` of
 * `dist/orders.ts`, `.mts`, `.js`, `.mjs` or `.cjs`, whichever is there first.
 * @throws Error when the string names no export, or no such file is there.
 */
export function findHandler(handler: string, folder = process.cwd()): HandlerFile {
  const [, path = '', exportName = ''] = /^(.*[^./\\])\.([^./\\]+)$/.exec(handler) ?? [];
  if (path === '') {
    throw new Error(
      `The handler is "${handler}"; give a path, a dot and an export, such as handlers/orders.handler`,
    );
  }
  const file = endings.map((ending) => resolve(folder, path + ending)).find((name) => existsSync(name));
  if (file === undefined) {
    throw new Error(`The handler is "${handler}"; there is no ${path}{${endings.join(',')}} in ${folder}`);
  }
  return { file, exportName, functionName: basename(path).replace(/[^A-Za-z0-9-_]/g, '-') };
}
