// What a failed call means: repair something first, or try the message again later.
import { describe, expect, test } from 'vitest';
import { ConfigurationError, StoreUnavailableError } from '../../lib/errors.ts';
import { isBusy, storeFailure } from '../../lib/store/failure.ts';
import { awsError } from '../support/faulty-table.ts';

describe('what no retry changes', () => {
  test.each([
    ['AccessDeniedException', 'PutItem, UpdateItem, GetItem and ConditionCheckItem'],
    ['ResourceNotFoundException', 'SQS_ONCE_TABLE'],
    ['ValidationException', '"claim" of type S'],
    ['UnrecognizedClientException', 'region and credentials'],
    ['InvalidSignatureException', 'region and credentials'],
    ['CredentialsProviderError', 'region and credentials'],
  ])('%s is a ConfigurationError that says what would do', (name, advice) => {
    const failure = storeFailure(awsError(name), 'claims', []);
    expect(failure).toBeInstanceOf(ConfigurationError);
    expect(failure.message).toContain('the claim table "claims" refused');
    expect(failure.message).toContain(name);
    expect(failure.message).toContain(advice);
    expect(failure.cause).toMatchObject({ name });
  });

  test('is a missing region too', () => {
    expect(storeFailure(new Error('Region is missing'), 'claims', [])).toBeInstanceOf(ConfigurationError);
  });

  test('names the other tables of the transaction, since one of those may be at fault', () => {
    const failure = storeFailure(awsError('ResourceNotFoundException'), 'claims', ['captures', 'ledger']);
    expect(failure.message).toContain(
      'the claim table "claims" or one written to beside it ("captures", "ledger")',
    );
  });
});

describe('what may pass', () => {
  test('is told by the system’s code where the error has no name of its own', () => {
    const error = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    expect(storeFailure(error, 'claims', []).message).toBe(
      'the claim table "claims" did not answer (ECONNREFUSED)',
    );
  });

  test.each([
    awsError('ThrottlingException'),
    awsError('ProvisionedThroughputExceededException'),
    awsError('RequestLimitExceeded'),
    awsError('InternalServerError'),
    awsError('ExpiredTokenException'),
    awsError('TimeoutError'),
    awsError('AbortError'),
    Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }),
    new TypeError('fetch failed'),
    'a text',
    undefined,
    null,
  ])('%s makes the store unavailable', (thrown) => {
    const failure = storeFailure(thrown, 'claims', []);
    expect(failure).toBeInstanceOf(StoreUnavailableError);
    expect(failure.cause).toBe(thrown);
  });

  test('an error of ours stays what it is', () => {
    for (const ours of [new StoreUnavailableError('no answer'), new ConfigurationError('no table')]) {
      expect(storeFailure(ours, 'claims', [])).toBe(ours);
    }
  });
});

test('a request token that was used for something else is told as our fault, neither refusal nor outage', () => {
  const failure = storeFailure(awsError('IdempotentParameterMismatchException'), 'claims', ['captures']);
  expect(failure.name).toBe('Error');
  expect(failure.message).toContain('a fault of sqs-once');
  expect(isBusy(awsError('IdempotentParameterMismatchException'))).toBe(false);
});

test.each([
  ['TransactionConflictException', true],
  ['TransactionInProgressException', true],
  ['ReplicatedWriteConflictException', true],
  ['ConditionalCheckFailedException', false],
  ['ThrottlingException', false],
  ['ValidationException', false],
])('%s is busy: %s', (name, busy) => {
  expect(isBusy(awsError(name))).toBe(busy);
});

test.each([
  [['TransactionConflict', 'None'], true],
  [['ConditionalCheckFailed', 'TransactionConflict'], false],
  [['None', 'ValidationError'], false],
])('a transaction cancelled with %j is busy: %s', (codes, busy) => {
  const CancellationReasons = codes.map((Code) => ({ Code }));
  expect(isBusy(Object.assign(awsError('TransactionCanceledException'), { CancellationReasons }))).toBe(busy);
});
