import { setTimeout as sleep } from 'node:timers/promises';
import type { SendMessageBatchRequestEntry, SQSClient } from '@aws-sdk/client-sqs';
import { readQueue, sendAll } from '../queue.ts';

const perCall = 10;
const lookMillis = 20;

/**
 * Sends messages no faster than they are fetched. What comes back from a stopped worker would otherwise wait
 * behind all that is new, and nobody would take its work over before it wakes.
 * @param ahead messages that may wait in the queue
 * @returns their message ids, in order
 */
export async function sendInPace(
  sqs: SQSClient,
  queueUrl: string,
  messages: readonly Omit<SendMessageBatchRequestEntry, 'Id'>[],
  ahead: number,
  signal: AbortSignal,
): Promise<string[]> {
  const messageIds: string[] = [];
  for (let start = 0; start < messages.length; start += perCall) {
    while ((await readQueue(sqs, queueUrl)).visible > ahead) await sleep(lookMillis, undefined, { signal });
    messageIds.push(...(await sendAll(sqs, queueUrl, messages.slice(start, start + perCall))));
  }
  return messageIds;
}
