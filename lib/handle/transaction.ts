import type { RejectedWrite } from '../store/port.ts';
import type { TransactionWrite } from '../store/writes.ts';
import {
  type CheckInput,
  type DeleteInput,
  type PutInput,
  type UpdateInput,
  type WriteKind,
  writeBytes,
  writeFrom,
} from './transaction-input.ts';
import { type PlacedWrite, placed, tableNameOf, twoOnOneItem } from './transaction-items.ts';
import { type CollectedWrite, type Judgement, judgement, writeName } from './transaction-judgement.ts';
import { type MachineTransition, type PlainTransition, plannedTransition } from './transition.ts';

/** DynamoDB takes 100 writes; the claim's own is one of them. */
const mostWrites = 99;

/** DynamoDB takes 4 MB; the claim's row, with the result and the follow-ups, may need 400 KB of it. */
const mostBytes = 4 * 1_048_576 - 400 * 1_024;

/**
 * Writes that commit together with the message's outcome, or not at all. Each is copied by the line that adds
 * it, and refused there with a `TypeError` when it could never be part of the transaction: the 100th write, a
 * write to the claim table, a second write to one item (two puts are compared once a write to their table
 * states a key), more than 3.6 MB in all, a value DynamoDB has no type for, an unknown property. A refused
 * line adds nothing.
 *
 * Values are JavaScript's own, as in `@aws-sdk/lib-dynamodb`. An `undefined` attribute is left out; an
 * `undefined` element, a function, a class instance such as a `Date`, and an integer beyond 2^53 are refused.
 */
export interface AttemptTransaction {
  /** @example `attempt.transaction.put({ TableName: 'captures', Item: { orderId: 'A-17', amount: 1200 } });` */
  put(input: PutInput): void;
  /**
   * @example
   * ```ts
   * attempt.transaction.update({
   *   TableName: 'stock',
   *   Key: { sku: 'cup' },
   *   UpdateExpression: 'SET held = held - :n',
   *   ConditionExpression: 'held >= :n',
   *   ExpressionAttributeValues: { ':n': 1 },
   * });
   * ```
   */
  update(input: UpdateInput): void;
  /** @example `attempt.transaction.delete({ TableName: 'carts', Key: { cartId: 'c-9' } });` */
  delete(input: DeleteInput): void;
  /**
   * A condition on an item that is not written.
   * @example
   * ```ts
   * attempt.transaction.check({
   *   TableName: 'accounts',
   *   Key: { accountId: 'a-1' },
   *   ConditionExpression: 'attribute_exists(accountId)',
   * });
   * ```
   */
  check(input: CheckInput): void;
  /**
   * Moves a state on, if the step is allowed from where it stands. A step that can never apply any more makes
   * the outcome `rejected`: nothing of the transaction is applied, the message is acknowledged. With a machine,
   * one that comes before its predecessor is returned to the queue. A state the machine does not know fails
   * the attempt.
   *
   * @example
   * ```ts
   * const payment = stateMachine({ authorised: ['captured', 'voided'], captured: ['refunded'] });
   * attempt.transaction.transition({
   *   TableName: 'payments',
   *   Key: { paymentId: 'p-1' },
   *   attribute: 'state',
   *   machine: payment,
   *   to: 'captured',
   *   set: { capturedAt: '2026-11-30' },
   * });
   * ```
   */
  transition<State extends string>(input: MachineTransition<State>): void;
  transition(input: PlainTransition): void;
}

/** An attempt's writes, as the engine sees them. */
export interface CollectedTransaction {
  readonly face: AttemptTransaction;
  readonly size: number;
  /** The writes, for good: from here on the face refuses more. */
  freeze(): readonly TransactionWrite[];
  /** What the refused conditions mean, by their places among the writes; at least one. */
  judge(failures: readonly RejectedWrite[]): Judgement;
}

/** Where a transaction is collected. */
export interface TransactionContext {
  /** Name or ARN; writes to it are refused. */
  readonly claimTable: string | undefined;
  /** Throws once the attempt was told to stop. */
  readonly ensureOpen: () => void;
}

interface Entry extends CollectedWrite {
  readonly write: TransactionWrite;
  readonly place: PlacedWrite;
}

export function createTransaction(context: TransactionContext): CollectedTransaction {
  const claimTable = context.claimTable === undefined ? undefined : tableNameOf(context.claimTable);
  const entries: Entry[] = [];
  let bytes = 0;
  let frozen: readonly TransactionWrite[] | undefined;

  function add(
    kind: WriteKind,
    plan: () => { write: TransactionWrite; judge?: CollectedWrite['judge'] },
  ): void {
    context.ensureOpen();
    ensureRoom(frozen !== undefined, entries.length);
    const { write, judge } = plan();
    const place = placed(write);
    const entry = { kind, table: place.table, place, write, judge };
    ensureNotClaimTable(entry, claimTable);
    const total = bytes + writeBytes(write);
    ensureSmall(total);
    ensureOneWritePerItem([...entries, entry]);
    entries.push(entry);
    bytes = total;
  }

  return {
    face: Object.freeze<AttemptTransaction>({
      put: (input) => add('put', () => ({ write: writeFrom('put', input) })),
      update: (input) => add('update', () => ({ write: writeFrom('update', input) })),
      delete: (input) => add('delete', () => ({ write: writeFrom('delete', input) })),
      check: (input) => add('check', () => ({ write: writeFrom('check', input) })),
      transition: (input: unknown) => add('transition', () => plannedTransition(input)),
    }),
    get size() {
      return entries.length;
    },
    freeze() {
      frozen ??= Object.freeze(entries.map(({ write }) => write));
      return frozen;
    },
    judge: (failures) => judgement(entries, failures),
  };
}

function ensureRoom(frozen: boolean, size: number): void {
  if (frozen) {
    throw new TypeError(
      "the attempt has ended and its writes are settled; await everything that adds one before the handler's end",
    );
  }
  if (size < mostWrites) return;
  throw new TypeError(
    `the transaction has ${size} writes and DynamoDB takes 100, one of them the claim's; put several records into one item, or send a follow-up for the rest`,
  );
}

function ensureNotClaimTable({ kind, table }: Entry, claimTable: string | undefined): void {
  if (claimTable === undefined || table !== claimTable) return;
  throw new TypeError(
    `transaction.${kind} names the claim table "${table}", which only the toolkit writes; keep items in a table of your own`,
  );
}

function ensureOneWritePerItem(entries: readonly Entry[]): void {
  const pair = twoOnOneItem(entries.map(({ place }) => place));
  if (pair === undefined) return;
  const [earlier, later] = pair.map((index) => writeName(index, entries[index]?.kind, entries[index]?.table));
  throw new TypeError(
    `${earlier} and ${later} are on one item, and DynamoDB takes one write per item; make them one: a write may carry a condition of its own`,
  );
}

function ensureSmall(bytes: number): void {
  if (bytes <= mostBytes) return;
  throw new TypeError(
    `the transaction would be ${bytes} bytes; at most ${mostBytes} fit beside the claim's row into the 4 MB DynamoDB takes`,
  );
}
