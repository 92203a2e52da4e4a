import { readFileSync } from 'node:fs';

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'it may not be read',
};

/**
 * The text of a file that an option names.
 *
 * @throws Error with the option, what it was given and what would do
 */
export function readNamedFile(option: string, file: string, wanted: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const { code = '', message } = cause as NodeJS.ErrnoException;
    throw new Error(`${option} is ${file}, and ${reasons[code] ?? message}; give ${wanted}`, { cause });
  }
}
