import { pathToFileURL } from 'node:url';
import { entryFile } from './entry-file.ts';

/** The `NODE_OPTIONS` of workers that tell, as steps, what becomes of each message; those given stay. */
export function instrumented(given: string | undefined): string {
  const instrument = `--import=${pathToFileURL(entryFile('chaos/instrument')).href}`;
  return [given, instrument].filter(Boolean).join(' ');
}
