import type { Ambient } from '../../ambient.ts';
import { landed } from '../../words.ts';
import { call } from '../call.ts';
import { claimStore } from '../claim-store.ts';
import { storeFailure } from '../failure.ts';
import type { CallLimit, ClaimStore } from '../port.ts';
import type { Table } from '../table.ts';
import { type Batcher, createBatcher, type Ride, type SendBatch } from './batcher.ts';
import { type BatchStatement, insertStatement, settleInBatch } from './statements.ts';

/**
 * A store whose claims and settles travel together where they are ready together:
 *
 *   claims of messages that start now ───▶ one call ─▶ each its own verdict
 *                                                      └─ refused: the single write, which learns why
 *   settles ready while one is in the air, for a moment ─▶ one call ─▶ likewise
 *
 * Everything else, a claim over a row that was seen, and an outcome with writes beside it, goes alone.
 */
export function batchedClaims(
  table: Table,
  sendBatch: SendBatch,
  tableName: string,
  ambient: Ambient,
): ClaimStore {
  const single = claimStore(table, tableName, ambient);
  const claims = createBatcher(sendBatch, ambient, { whileInTheAir: false });
  const settles = createBatcher(sendBatch, ambient, { whileInTheAir: true });

  async function together<Landing>(
    batcher: Batcher,
    rowKey: string,
    statement: BatchStatement,
    limit: CallLimit,
    byItself: (limit: CallLimit) => Promise<Landing>,
  ): Promise<Landing | typeof landed> {
    const startedAt = ambient.monotonicMillis();
    const ride = await travel(batcher, rowKey, statement, limit);
    if (ride.status === 'landed') return landed;
    const timeoutMillis = limit.timeoutMillis - (ambient.monotonicMillis() - startedAt);
    return batcher.byItself(() => byItself({ timeoutMillis }));
  }

  async function travel(
    batcher: Batcher,
    rowKey: string,
    statement: BatchStatement,
    limit: CallLimit,
  ): Promise<Ride> {
    try {
      return await call(ambient, limit, (signal) => batcher.ride(rowKey, statement, signal));
    } catch (error) {
      throw storeFailure(error, tableName, []);
    }
  }

  return {
    ...single,
    acquire: (row, over, limit) =>
      over === undefined
        ? together(claims, row.claim, insertStatement(tableName, row), limit, (left) =>
            single.acquire(row, undefined, left),
          )
        : single.acquire(row, over, limit),
    settle: (claim, settlement, writes, limit) =>
      writes.length === 0
        ? together(settles, claim.rowKey, settleInBatch(tableName, claim, settlement), limit, (left) =>
            single.settle(claim, settlement, writes, left),
          )
        : single.settle(claim, settlement, writes, limit),
  };
}
