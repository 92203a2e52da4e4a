import { existsSync, readdirSync, watch } from 'node:fs';
import { dirname, extname, join } from 'node:path';

/** An editor writes a file in several steps; what settles within this time is one change. */
const settledMillis = 150;

const sources: ReadonlySet<string> = new Set(['.ts', '.mts', '.cts', '.js', '.mjs', '.cjs']);

export interface Watch {
  /** Resolves when the last restart is through. */
  stop(): Promise<void>;
}

/**
 * Restarts, one after the other, when a source file of the handler's project changes: what it imports lies
 * beside its folder as often as in it. Other files are left alone, for a handler may write some.
 */
export function watchProject(handlerFile: string, restart: (changed: string) => Promise<void>): Watch {
  const root = projectOf(handlerFile);
  let pending: NodeJS.Timeout | undefined;
  let last = Promise.resolve();
  let stopWatching = watchFolders(root, changed);
  function changed(name: string): void {
    if (!sources.has(extname(name))) return;
    clearTimeout(pending);
    pending = setTimeout(() => {
      // A folder that is new by now is watched from here on.
      stopWatching();
      stopWatching = watchFolders(root, changed);
      last = last.then(() => restart(name));
    }, settledMillis);
  }
  return {
    stop() {
      clearTimeout(pending);
      stopWatching();
      return last;
    },
  };
}

/** The nearest folder with a package.json. */
function projectOf(file: string): string {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder;
  }
  return dirname(file);
}

/** Folder by folder: a recursive watch would go through all of node_modules. */
function watchFolders(root: string, changed: (name: string) => void): () => void {
  const watchers = foldersOf(root).map((folder) =>
    watch(folder, (_, name) => {
      if (name !== null) changed(name);
    }).on('error', () => {}),
  );
  return () => {
    for (const watcher of watchers) watcher.close();
  };
}

function foldersOf(folder: string): string[] {
  const inside = readdirSync(folder, { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && entry.name !== 'node_modules' && !entry.name.startsWith('.'),
  );
  return [folder, ...inside.flatMap(({ name }) => foldersOf(join(folder, name)))];
}
