import { createHash } from 'node:crypto';
import type { CancellationReason } from '@aws-sdk/client-dynamodb';
import { isNamed } from '../../errors.ts';
import type { TransactStatement } from '../table.ts';
import {
  conditionFailedMessage,
  parameterMismatch,
  transactionCancelled,
  validationError,
} from './dynamo-error.ts';
import type { TableKeys } from './keys.ts';
import type { Rows } from './rows.ts';
import { locate, readWrite, runWrite, type Write } from './write.ts';

const mostWrites = 100;
const mostBytes = 4 * 1_024 * 1_024;
const longestToken = 36;

/**
 * Transactions over the rows: all writes or none. A request token that was used is answered without doing
 * anything; DynamoDB forgets it after ten minutes, here it is kept as long as the table.
 */
export class Transactions {
  readonly #rows: Rows;
  readonly #keys: TableKeys;
  readonly #digests = new Map<string, string>();

  constructor(rows: Rows, keys: TableKeys) {
    this.#rows = rows;
    this.#keys = keys;
  }

  run({ TransactItems, ClientRequestToken: token }: TransactStatement): void {
    refuseCount(TransactItems.length);
    const writes = TransactItems.map(readWrite);
    refuseBytes(writes);
    if (token === undefined) {
      this.#commit(writes);
      return;
    }
    refuseToken(token);
    const digest = createHash('sha256').update(JSON.stringify(TransactItems)).digest('base64');
    const seen = this.#digests.get(token);
    if (seen === digest) return;
    if (seen !== undefined) throw parameterMismatch();
    this.#commit(writes);
    this.#digests.set(token, digest);
  }

  #commit(writes: readonly Write[]): void {
    const located = this.#locate(writes);
    const outcomes = located.map(({ write, rowId }) =>
      attempt(() => runWrite(write, this.#rows.get(write.tableName, rowId))),
    );
    const reasons = outcomes.map(reasonOf);
    if (reasons.some(({ Code }) => Code !== 'None')) throw transactionCancelled(reasons);
    for (const [index, { write, rowId }] of located.entries()) {
      const outcome = outcomes[index];
      if (outcome?.status === 'holds') this.#rows.set(write.tableName, rowId, outcome.item);
    }
  }

  /** A write that does not fit its table's key ends the transaction before any condition is looked at. */
  #locate(writes: readonly Write[]): readonly { write: Write; rowId: string }[] {
    for (const { tableName, intent } of writes) {
      // A put's table may be known only by another write of the same transaction.
      if (intent.kind !== 'put') attempt(() => this.#keys.learn(tableName, intent.key));
    }
    const located = writes.map((write, index) => {
      const rowId = attempt(() => locate(write, this.#keys));
      if (typeof rowId === 'string') return { write, rowId };
      throw transactionCancelled(writes.map((_, place) => (place === index ? reasonOf(rowId) : none)));
    });
    const places = new Set(located.map(({ write, rowId }) => JSON.stringify([write.tableName, rowId])));
    if (places.size === writes.length) return located;
    throw validationError('Transaction request cannot include multiple operations on one item');
  }
}

interface Invalid {
  readonly status: 'invalid';
  readonly message: string;
}

function attempt<Answer>(task: () => Answer): Answer | Invalid {
  try {
    return task();
  } catch (error) {
    if (error instanceof Error && isNamed(error, 'ValidationException')) {
      return { status: 'invalid', message: error.message };
    }
    throw error;
  }
}

const none: CancellationReason = { Code: 'None' };

function reasonOf(outcome: Invalid | ReturnType<typeof runWrite>): CancellationReason {
  switch (outcome.status) {
    case 'holds':
      return none;
    case 'invalid':
      return { Code: 'ValidationError', Message: outcome.message };
    case 'refused':
      return {
        Code: 'ConditionalCheckFailed',
        Message: conditionFailedMessage,
        ...(outcome.old === undefined ? {} : { Item: outcome.old }),
      };
  }
}

function refuseCount(count: number): void {
  if (count >= 1 && count <= mostWrites) return;
  throw validationError(
    `1 validation error detected: ${count} writes at 'transactItems' failed to satisfy constraint: Member must have length between 1 and ${mostWrites}`,
  );
}

function refuseBytes(writes: readonly Write[]): void {
  if (writes.reduce((sum, { bytes }) => sum + bytes, 0) <= mostBytes) return;
  throw validationError(`Transaction payload size cannot exceed ${mostBytes} bytes`);
}

function refuseToken(token: string): void {
  if (token.length >= 1 && token.length <= longestToken) return;
  throw validationError(
    `1 validation error detected: Value at 'clientRequestToken' failed to satisfy constraint: Member must have length between 1 and ${longestToken}`,
  );
}
