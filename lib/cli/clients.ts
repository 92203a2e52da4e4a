import { SQSClient } from '@aws-sdk/client-sqs';
import { rowKey } from '../arrive/row-key.ts';
import { ConfigurationError } from '../errors.ts';
import { dynamoClaims } from '../store/dynamo.ts';
import type { ClaimStore } from '../store/port.ts';

/** SQS as the environment says. */
export function sqsClient(): SQSClient {
  // The SDK sends to the host in the queue's URL unless the endpoint is stated; a local stand-in's may not resolve.
  const endpoint = process.env.AWS_ENDPOINT_URL_SQS ?? process.env.AWS_ENDPOINT_URL;
  return new SQSClient(endpoint === undefined ? {} : { endpoint });
}

/**
 * The claim table given, or that of the environment. One that cannot be read is found out here, not with each
 * message.
 *
 * @throws ConfigurationError for a table that is not there or may not be read
 */
export async function claimTable(given: string | undefined): Promise<ClaimStore | undefined> {
  const tableName = given ?? process.env.SQS_ONCE_TABLE;
  if (tableName === undefined || tableName === '') return undefined;
  const store = dynamoClaims({ tableName });
  try {
    await store.read(rowKey('sqs-once', 'is the table there?'), { timeoutMillis: 10_000 });
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : (error as Error);
    throw new ConfigurationError(`the claim table ${tableName} cannot be read: ${cause.message}`, { cause });
  }
  return store;
}

/** The same where there is no doing without. */
export async function requiredClaimTable(given: string | undefined): Promise<ClaimStore> {
  const store = await claimTable(given);
  if (store === undefined) {
    throw new ConfigurationError('no claim table is named; give --table, or set SQS_ONCE_TABLE');
  }
  return store;
}
