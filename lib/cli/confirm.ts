import { createInterface } from 'node:readline/promises';
import { visible } from './visible.ts';

/** Asks a person. Anything but yes is no, Ctrl-C too. */
export async function isConfirmed(question: string): Promise<boolean> {
  const controller = new AbortController();
  const asked = createInterface({ input: process.stdin, output: process.stderr });
  asked.once('SIGINT', () => controller.abort());
  try {
    const answer = await asked.question(`${visible(question)} [y/N] `, { signal: controller.signal });
    return /^\s*y(es)?\s*$/i.test(answer);
  } catch {
    return false;
  } finally {
    asked.close();
  }
}
