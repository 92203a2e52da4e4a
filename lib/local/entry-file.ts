import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The file of a child process's program, which lies beside this one: as `.ts` when the sources run, as
 * `.js` in the build and beside the bundled CLI.
 */
export function entryFile(name: string): string {
  return fileURLToPath(new URL(`./${name}${extname(import.meta.url)}`, import.meta.url));
}
