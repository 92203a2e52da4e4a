import { ConfigurationError, isNamed, StoreUnavailableError } from '../errors.ts';
import { readCancellation } from './cancellation.ts';

/** Answers of DynamoDB that no retry will change: somebody has to repair rights, table or region first. */
const hopeless: readonly string[] = [
  'AccessDeniedException',
  'ResourceNotFoundException',
  'ValidationException',
  'UnrecognizedClientException',
  'InvalidSignatureException',
  'IncompleteSignatureException',
  'MissingAuthenticationTokenException',
  'CredentialsProviderError',
];

/** A write met an ongoing transaction: busy, not decided. */
const busy: readonly string[] = [
  'TransactionConflictException',
  'TransactionInProgressException',
  'ReplicatedWriteConflictException',
];

export function isConditionFailure(error: unknown): error is { Item?: Record<string, unknown> } {
  return isNamed(error, 'ConditionalCheckFailedException');
}

export function isBusy(error: unknown): boolean {
  return busy.some((name) => isNamed(error, name)) || readCancellation(error)?.status === 'busy';
}

/**
 * What a failed call means for the caller: `ConfigurationError` when it can never work, so the invocation
 * fails loudly and once, otherwise `StoreUnavailableError`, so the message goes back.
 *
 * @param otherTables the tables an attempt's transaction wrote to beside the claim table
 */
export function storeFailure(error: unknown, tableName: string, otherTables: readonly string[]): Error {
  if (isNamed(error, 'StoreUnavailableError') || isNamed(error, 'ConfigurationError')) return error as Error;
  const name = nameOf(error);
  if (name === 'IdempotentParameterMismatchException') return twoRequestsUnderOneToken(error);
  if (hopeless.includes(name) || isMissingRegion(error)) {
    const others = otherTables.map((other) => `"${other}"`).join(', ');
    const tables = `the claim table "${tableName}"${others === '' ? '' : ` or one written to beside it (${others})`}`;
    return new ConfigurationError(`${tables} refused a call with ${name}: ${advice(name)}`, { cause: error });
  }
  return new StoreUnavailableError(
    `the claim table "${tableName}" did not answer (${codeOf(error) ?? name})`,
    {
      cause: error,
    },
  );
}

function twoRequestsUnderOneToken(cause: unknown): Error {
  return new Error(
    'one attempt sent two different transactions under one request token; the second was not applied. This is a fault of sqs-once and not of the message: please report it',
    { cause },
  );
}

function advice(name: string): string {
  if (name === 'AccessDeniedException') {
    return 'the role needs PutItem, UpdateItem, GetItem and ConditionCheckItem on it (with batching PartiQLInsert and PartiQLUpdate too), and the rights for every table a transaction writes to';
  }
  if (name === 'ResourceNotFoundException') {
    return 'create it, or name the right one; the claim table is named in dynamoClaims({ tableName }) or SQS_ONCE_TABLE';
  }
  if (name === 'ValidationException') {
    return 'its partition key must be "claim" of type S, without a sort key';
  }
  return 'give the client a region and credentials';
}

function nameOf(error: unknown): string {
  const name = typeof error === 'object' && error !== null ? Reflect.get(error, 'name') : undefined;
  return typeof name === 'string' ? name : typeof error;
}

/** What the system says, such as `ECONNREFUSED`: the error's own name is `Error` then. */
function codeOf(error: unknown): string | undefined {
  const code = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined;
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]+$/.test(code) ? code : undefined;
}

function isMissingRegion(error: unknown): boolean {
  return error instanceof Error && error.message === 'Region is missing';
}
