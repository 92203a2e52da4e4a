import { pathToFileURL } from 'node:url';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { findHandler } from '../handler-file.ts';

/** A message as it was sent. */
export interface SentMessage {
  /** From 1. */
  readonly number: number;
  readonly body: unknown;
  readonly messageId: string;
}

/** A check of the user's: what it returns are divergences, a sentence each. */
export type Check = (
  messages: readonly SentMessage[],
  local: { readonly dynamo: DynamoDBClient; readonly sqs: SQSClient },
) => readonly string[] | Promise<readonly string[]>;

/** The function `path.export` names. @throws Error when there is none */
export async function findFunction<Found>(name: string): Promise<Found> {
  const { file, exportName } = findHandler(name);
  const loaded = (await import(pathToFileURL(file).href)) as Readonly<Record<string, unknown>>;
  const found = loaded[exportName];
  if (typeof found !== 'function') throw new TypeError(`${file} exports no function ${exportName}`);
  return found as Found;
}

export async function runCheck(check: Check, ...args: Parameters<Check>): Promise<readonly string[]> {
  const divergences: unknown = await check(...args);
  if (!Array.isArray(divergences)) {
    throw new TypeError(
      `The check answered something of type ${typeof divergences}; expected a list of divergences`,
    );
  }
  return divergences.map(String);
}
