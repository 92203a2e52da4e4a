import type { CancellationReason } from '@aws-sdk/client-dynamodb';
import type { Attributes } from '../table.ts';

/** An error as the AWS client throws it, known by its `name`. The client itself is not needed for it. */
export class DynamoError extends Error {
  override readonly name: string;
  readonly $fault = 'client';
  readonly $metadata = { httpStatusCode: 400, attempts: 1 };

  constructor(name: string, message: string) {
    super(message);
    this.name = name;
  }
}

export function validationError(message: string): DynamoError {
  return new DynamoError('ValidationException', message);
}

/** @param item what stood there, when the request asked for it and anything did */
export function conditionFailed(item: Attributes | undefined): DynamoError {
  const error = new DynamoError('ConditionalCheckFailedException', conditionFailedMessage);
  return item === undefined ? error : Object.assign(error, { Item: item });
}

export const conditionFailedMessage = 'The conditional request failed';

export function transactionCancelled(reasons: readonly CancellationReason[]): DynamoError {
  const codes = reasons.map(({ Code }) => Code).join(', ');
  const error = new DynamoError(
    'TransactionCanceledException',
    `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`,
  );
  return Object.assign(error, { CancellationReasons: reasons });
}

export function parameterMismatch(): DynamoError {
  return new DynamoError(
    'IdempotentParameterMismatchException',
    'The request token was used for another transaction',
  );
}

/** Throws what the AWS client throws when its caller has given up. */
export function refuseAborted(signal: AbortSignal): void {
  if (!signal.aborted) return;
  throw Object.assign(new Error('Request aborted', { cause: signal.reason }), { name: 'AbortError' });
}
