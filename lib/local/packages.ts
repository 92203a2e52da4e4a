import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The npm package with dynoxide's binary for this machine. */
export const dynoxidePackage = `@dynoxide/${process.platform}-${process.arch}`;

/** The versions this code was tried with. */
const installableVersions: Readonly<Record<string, string>> = {
  fauxqs: '2',
  '@dynoxide/linux-x64': '1',
};

/**
 * Where an emulator may be installed. It is nobody's dependency, so it is looked for as the user's project
 * sees it, as this file sees it, and in this repository's private workspace.
 */
function viewpoints(): readonly (string | URL)[] {
  return [
    pathToFileURL(join(process.cwd(), 'package.json')),
    import.meta.url,
    new URL('../../emulators/package.json', import.meta.url),
  ];
}

/** The folder of an installed package. */
export function findPackage(name: string): string | undefined {
  return viewpoints()
    .flatMap((viewpoint) => createRequire(viewpoint).resolve.paths(name) ?? [])
    .map((folder) => join(folder, name))
    .find((folder) => existsSync(join(folder, 'package.json')));
}

/** The file a package's `main` names. */
export function mainFile(folder: string): string {
  const { main } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { main: string };
  return fileURLToPath(new URL(main, pathToFileURL(join(folder, '/'))));
}

/** The first executable of that name on PATH. */
export function findOnPath(name: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, name)).find((file) => existsSync(file));
}

/** The one command that installs every emulator this machine lacks and npm has. */
export function installCommand(): string {
  const missing = Object.entries(installableVersions)
    .filter(([name]) => !name.startsWith('@dynoxide/') || name === dynoxidePackage)
    .filter(([name]) => findPackage(name) === undefined)
    .map(([name, version]) => `${name}@${version}`);
  return `npm install --save-dev ${missing.join(' ')}`;
}

/** Whether npm has a dynoxide binary for this machine. */
export const dynoxideIsInstallable = dynoxidePackage in installableVersions;
