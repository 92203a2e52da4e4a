import { type Ambient, pause } from '../ambient.ts';
import { isNamed } from '../errors.ts';
import { type ClaimRef, type ClaimRow, type Landing, landed } from '../words.ts';
import { acquireStatement, isOwnEcho } from './acquire.ts';
import { call } from './call.ts';
import { commitStatement, readCancellation } from './commit.ts';
import { rowKeyAttributes } from './expression.ts';
import { extendStatement } from './extend.ts';
import { isConditionFailure, storeFailure } from './failure.ts';
import { markSentStatement } from './follow-ups-sent.ts';
import { markParkedStatement, parkStatement } from './park.ts';
import type { CallLimit, ClaimStore, CommitLanding } from './port.ts';
import { releaseStatement } from './release.ts';
import { renewStatement } from './renew.ts';
import { reopenStatement } from './reopen.ts';
import { itemToRow } from './row-codec.ts';
import { isOwnSettle, settleStatement } from './settle.ts';
import type { PutStatement, Table, UpdateStatement } from './table.ts';
import type { TransactionWrite } from './writes.ts';

type Own = { readonly Put: PutStatement } | { readonly Update: UpdateStatement };
type IsOurs = (standing: ClaimRow | undefined) => boolean;

const never: IsOurs = () => false;

/** A store over a table: builds the statements, sends them, reads refusals. */
export function claimStore(table: Table, tableName: string, ambient: Ambient): ClaimStore {
  async function guarded<Answer>(limit: CallLimit, send: (signal: AbortSignal) => Promise<Answer>) {
    try {
      return await call(ambient, limit, send);
    } catch (error) {
      throw storeFailure(error, tableName);
    }
  }

  async function read(rowKey: string, limit: CallLimit): Promise<ClaimRow | undefined> {
    const item = await guarded(limit, (signal) => table.get(tableName, rowKeyAttributes(rowKey), signal));
    return item === undefined ? undefined : itemToRow(item);
  }

  /** A refusal that comes without the item (an old client, an emulator) costs one consistent read. */
  async function refusedBy(
    item: Record<string, unknown> | undefined,
    rowKey: string,
    limit: CallLimit,
    isOurs: IsOurs,
  ): Promise<Landing> {
    const row = item === undefined ? await read(rowKey, limit) : itemToRow(item);
    return isOurs(row) ? landed : { status: 'refused', row };
  }

  async function write(own: Own, rowKey: string, limit: CallLimit, isOurs: IsOurs): Promise<Landing> {
    const outcome = await guarded(limit, async (signal) => {
      try {
        await ('Put' in own ? table.put(own.Put, signal) : table.update(own.Update, signal));
        return landed;
      } catch (error) {
        if (isConditionFailure(error)) return { status: 'condition' as const, item: error.Item };
        throw error;
      }
    });
    return outcome.status === 'landed' ? landed : refusedBy(outcome.item, rowKey, limit, isOurs);
  }

  async function transact(
    own: Own,
    claim: ClaimRef,
    writes: readonly TransactionWrite[],
    limit: CallLimit,
    isOurs: IsOurs,
  ): Promise<CommitLanding> {
    const statement = commitStatement(claim, own, writes);
    const outcome = await guarded(limit, async (signal) => {
      for (let most = 20; ; most = Math.min(most * 2, 320)) {
        try {
          await table.transact(statement, signal);
          return landed;
        } catch (error) {
          if (isNamed(error, 'ValidationException')) return { status: 'impossible' as const, cause: error };
          const cancellation = readCancellation(error);
          if (cancellation === undefined || signal.aborted) throw error;
          if (cancellation.status === 'impossible') return { status: 'impossible' as const, cause: error };
          if (cancellation.status !== 'busy') return cancellation;
          await pause(ambient, ambient.chance() * most);
        }
      }
    });
    return outcome.status === 'own-refused' ? refusedBy(outcome.item, claim.rowKey, limit, isOurs) : outcome;
  }

  const update = (statement: UpdateStatement, claim: ClaimRef, limit: CallLimit, isOurs: IsOurs = never) =>
    write({ Update: statement }, claim.rowKey, limit, isOurs);

  return {
    ambient,
    tableName,
    read,
    acquire: (row, over, limit) =>
      write({ Put: acquireStatement(tableName, row, over) }, row.claim, limit, (standing) =>
        isOwnEcho(row, standing),
      ),
    commit(row, over, writes, limit) {
      const own = { Put: acquireStatement(tableName, row, over) };
      const isOurs: IsOurs = (standing) => isOwnEcho(row, standing);
      const claim = { rowKey: row.claim, fence: row.fence, owner: row.owner };
      return writes.length === 0
        ? write(own, row.claim, limit, isOurs)
        : transact(own, claim, writes, limit, isOurs);
    },
    renew: (claim, leaseEndsAt, limit) => update(renewStatement(tableName, claim, leaseEndsAt), claim, limit),
    settle(claim, settlement, writes, limit) {
      const own = { Update: settleStatement(tableName, claim, settlement) };
      const isOurs: IsOurs = (standing) => isOwnSettle(claim, standing);
      return writes.length === 0
        ? write(own, claim.rowKey, limit, isOurs)
        : transact(own, claim, writes, limit, isOurs);
    },
    release: (claim, release, limit) =>
      update(releaseStatement(tableName, claim, release), claim, limit, holds(claim, 'released')),
    park: (claim, parking, limit) =>
      update(parkStatement(tableName, claim, parking), claim, limit, holds(claim, 'parked')),
    markParked: (claim, limit) => update(markParkedStatement(tableName, claim), claim, limit),
    markSent: (claim, sent, all, limit) =>
      update(markSentStatement(tableName, claim, sent, all), claim, limit),
    extend: (claim, expiresAtEpochSeconds, limit) =>
      update(extendStatement(tableName, claim, expiresAtEpochSeconds), claim, limit),
    reopen: (seen, owner, nowMillis, limit) =>
      update(
        reopenStatement(tableName, seen, owner, nowMillis),
        { rowKey: seen.claim, fence: seen.fence, owner: seen.owner },
        limit,
        (standing) => standing?.owner === owner,
      ),
  };
}

/** Whether the row is as our write would have left it: the write landed and only its reply was lost. */
function holds(claim: ClaimRef, status: ClaimRow['status']): IsOurs {
  return (standing) =>
    standing?.owner === claim.owner && standing.fence === claim.fence && standing.status === status;
}
