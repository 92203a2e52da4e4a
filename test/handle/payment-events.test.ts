// Every order and every repetition of a payment's events ends in a state its machine allows; a refund never
// becomes a capture, and what was recorded beside a step was recorded once, with it.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createTransaction } from '../../lib/handle/transaction.ts';
import { memoryTable } from '../../lib/store/memory/memory-table.ts';
import type { TransactionWrite } from '../../lib/store/writes.ts';
import { events, isAllowed, machine, type PaymentEvent, permutations } from '../support/payment-events.ts';
import { transact } from '../support/transact.ts';

/** An event that stays early this often is parked. */
const mostAttempts = 5;

type Change = (write: TransactionWrite) => TransactionWrite;
const unchanged: Change = (write) => write;

interface Delivered {
  /** The states that were entered, in order. */
  readonly path: readonly PaymentEvent[];
  /** The state that stands there in the end. */
  readonly state: string | undefined;
  /** How often each event was recorded beside its step. */
  readonly ledger: Readonly<Record<string, string>>;
}

/** Delivers events in turn, early ones again behind the others. */
async function deliver(deliveries: readonly PaymentEvent[], change = unchanged): Promise<Delivered> {
  const table = memoryTable();
  const path: PaymentEvent[] = [];
  const queue = deliveries.map((event) => ({ event, attempts: 0 }));
  for (let message = queue.shift(); message !== undefined; message = queue.shift()) {
    const { event, attempts } = message;
    const collected = createTransaction({ claimTable: 'claims', ensureOpen: () => {} });
    const Key = { id: 'p-1' };
    collected.face.transition({ TableName: 'payments', Key, attribute: 'state', machine, to: event });
    collected.face.update({
      TableName: 'ledger',
      Key: { id: event },
      UpdateExpression: 'ADD entries :one',
      ExpressionAttributeValues: { ':one': 1 },
    });
    const outcome = await transact(table, collected, collected.freeze().map(change));
    if (outcome.status === 'landed') path.push(event);
    if (outcome.status === 'early' && attempts + 1 < mostAttempts)
      queue.push({ event, attempts: attempts + 1 });
  }
  const ledger = table.items('ledger').map(({ id, entries }) => [id?.S, entries?.N]);
  return { path, state: table.items('payments')[0]?.state?.S, ledger: Object.fromEntries(ledger) };
}

const anyDeliveries = fc.array(fc.constantFrom(...events), { minLength: 1, maxLength: 10 });

describe("a payment's events", () => {
  test('in each of their 24 orders end refunded or voided', async () => {
    for (const order of permutations(events)) {
      const { path } = await deliver(order);
      expect(isAllowed(path), order.join()).toBe(true);
      expect([
        ['authorised', 'captured', 'refunded'],
        ['authorised', 'voided'],
      ]).toContainEqual(path);
    }
  });

  test('in any order, repeated and missing at will, go only where the machine goes', async () => {
    await fc.assert(
      fc.asyncProperty(anyDeliveries, async (deliveries) => {
        const { path, state, ledger } = await deliver(deliveries);
        expect(isAllowed(path)).toBe(true);
        expect(state).toBe(path.at(-1));
        expect(ledger).toEqual(Object.fromEntries(path.map((event) => [event, '1'])));
        if (deliveries.includes('authorised')) expect(path[0]).toBe('authorised');
        if (!deliveries.includes('voided') && deliveries.includes('authorised')) {
          expect(path.includes('captured')).toBe(deliveries.includes('captured'));
        }
      }),
      { numRuns: 300 },
    );
  });

  test('would turn a refund into a capture if one state too many were let through', async () => {
    const lax: Change = (write) => {
      const values = 'Update' in write ? write.Update.ExpressionAttributeValues : undefined;
      if (!('Update' in write) || values?.[':to']?.S !== 'captured') return write;
      return {
        Update: {
          ...write.Update,
          ConditionExpression: '#state IN (:from0, :twin)',
          ExpressionAttributeValues: { ...values, ':twin': { S: 'refunded' } },
        },
      };
    };
    const twin = await fc.check(
      fc.asyncProperty(anyDeliveries, async (deliveries) => isAllowed((await deliver(deliveries, lax)).path)),
      { numRuns: 300 },
    );
    expect(twin.failed).toBe(true);
    const { path } = await deliver(twin.counterexample?.[0] ?? [], lax);
    expect(path.join()).toContain('refunded,captured');
  });
});
