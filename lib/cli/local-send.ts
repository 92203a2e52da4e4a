import { readFile } from 'node:fs/promises';

/** What SQS takes as one message. */
const largestBytes = 1_048_576;

/**
 * The lines of a file of JSON lines, each a message's body. Read and judged before anything is sent, so that a
 * slip in the last line does not leave half a file in the queue.
 *
 * @throws Error that names the first line that is no JSON or too large, without quoting it
 */
export async function linesToSend(file: string): Promise<readonly string[]> {
  const lines = (await readFile(file, 'utf8')).split('\n');
  for (const [index, line] of lines.entries()) {
    const why = line.trim() === '' ? undefined : whyNot(line);
    if (why !== undefined) throw new Error(`line ${index + 1} of ${file} ${why}; nothing was sent`);
  }
  return lines.filter((line) => line.trim() !== '');
}

function whyNot(line: string): string | undefined {
  const bytes = Buffer.byteLength(line);
  if (bytes > largestBytes) return `has ${bytes} bytes, and SQS takes at most ${largestBytes}`;
  try {
    JSON.parse(line);
    return undefined;
  } catch {
    return 'is no JSON';
  }
}
