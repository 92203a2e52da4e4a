import { randomUUID } from 'node:crypto';
import { createInterface, type Interface } from 'node:readline';
import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { isFifoArn } from '../arrive/record.ts';
import type { LocalAws } from '../local/local-aws.ts';
import type { QueuePair } from '../local/queues.ts';
import { readNamedFile } from './named-file.ts';
import { errorText } from './visible.ts';

/** What SQS takes as one message. */
const largestBytes = 1_048_576;

/**
 * The lines of a file of JSON lines, each a message's body. Read and judged before anything is sent, so that a
 * slip in the last line does not leave half a file in the queue.
 *
 * @throws Error that names the file when it cannot be read, or the first line that is no JSON or too large, without
 * quoting it
 */
export function linesToSend(file: string): readonly string[] {
  const lines = readNamedFile('--send', file, 'a file of JSON lines').split('\n');
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

/** Where messages go, and by which field of their bodies they are grouped. */
export interface Place {
  readonly sqs: SQSClient;
  readonly queueUrl: string;
  readonly fifo: boolean;
  readonly group: string | undefined;
}

/** @throws Error for a group on a queue that has none */
export function placeOf(aws: LocalAws, { queueUrl, queueArn }: QueuePair, group: string | undefined): Place {
  const fifo = isFifoArn(queueArn);
  if (group !== undefined && !fifo)
    throw new Error('--group is for FIFO queues; give --fifo, or leave it out');
  return { sqs: aws.sqs(), queueUrl, fifo, group };
}

export async function sendLine({ sqs, queueUrl, fifo, group }: Place, line: string): Promise<void> {
  // Sent twice is meant twice, which a FIFO queue would take for one.
  const order = fifo ? { MessageGroupId: groupOf(line, group), MessageDeduplicationId: randomUUID() } : {};
  await sqs.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: line, ...order }));
}

const oneGroup = 'local';

function groupOf(line: string, field: string | undefined): string {
  if (field === undefined) return oneGroup;
  try {
    const value: unknown = (JSON.parse(line) as Record<string, unknown> | null)?.[field];
    return value === undefined || value === null || value === '' ? oneGroup : String(value);
  } catch {
    // Not JSON on purpose, to see it parked.
    return oneGroup;
  }
}

export function sendTypedLines(place: Place): Interface {
  const typed = createInterface({ input: process.stdin });
  let last = Promise.resolve();
  typed.on('line', (line) => {
    if (line.trim() === '') return;
    // One after the other: a FIFO queue keeps the order in which they reach it, not that of a pasted text.
    last = last
      .then(() => sendLine(place, line))
      .catch((error: Error) => console.error(errorText(error, 'Not sent: ')));
  });
  return typed;
}
