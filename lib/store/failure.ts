import { ConfigurationError, isNamed, StoreUnavailableError } from '../errors.ts';

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
  return busy.some((name) => isNamed(error, name));
}

/**
 * What a failed call means for the caller: `ConfigurationError` when it can never work, so the invocation
 * fails loudly and once, otherwise `StoreUnavailableError`, so the message goes back.
 */
export function storeFailure(error: unknown, tableName: string): Error {
  if (isNamed(error, 'ConfigurationError') || isNamed(error, 'StoreUnavailableError')) return error as Error;
  const name = nameOf(error);
  if (hopeless.includes(name) || isMissingRegion(error)) {
    return new ConfigurationError(
      `the claim table "${tableName}" refused a call with ${name}: ${advice(name)}; no message ran without its claim`,
      { cause: error },
    );
  }
  return new StoreUnavailableError(`the claim table "${tableName}" did not answer (${name})`, {
    cause: error,
  });
}

function advice(name: string): string {
  if (name === 'AccessDeniedException') {
    return 'the role needs PutItem, UpdateItem, GetItem and ConditionCheckItem on it, and the rights for every table a transaction writes to';
  }
  if (name === 'ResourceNotFoundException') {
    return 'create it, or name the right one in dynamoClaims({ tableName }) or SQS_ONCE_TABLE';
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

function isMissingRegion(error: unknown): boolean {
  return error instanceof Error && error.message === 'Region is missing';
}
