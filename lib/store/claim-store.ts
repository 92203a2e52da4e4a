import type { Ambient } from '../ambient.ts';
import { isNamed } from '../errors.ts';
import { type ClaimRef, type ClaimRow, type Landing, landed } from '../words.ts';
import { acquireStatement } from './acquire.ts';
import { call } from './call.ts';
import { readCancellation } from './cancellation.ts';
import { commitStatement, type OwnWrite } from './commit.ts';
import { rowKeyAttributes } from './expression.ts';
import { extendStatement } from './extend.ts';
import { isConditionFailure, storeFailure } from './failure.ts';
import { markSentStatement } from './follow-ups-sent.ts';
import { letGoStatement } from './let-go.ts';
import { markParkedStatement, parkStatement } from './park.ts';
import type { CallLimit, ClaimStore, CommitLanding } from './port.ts';
import { releaseStatement } from './release.ts';
import { renewStatement } from './renew.ts';
import { reopenStatement } from './reopen.ts';
import { itemToRow } from './row-codec.ts';
import { settleStatement } from './settle.ts';
import type { Table, TransactStatement, UpdateStatement } from './table.ts';
import type { TransactionWrite } from './writes.ts';

/**
 * The statuses in which a row that still has our fence and owner shows that our write is in it: it landed and
 * only its reply was lost, or what it asked for holds already.
 */
type OwnStatuses = readonly ClaimRow['status'][];

/** A store over a table: builds the statements, sends them, reads refusals. */
export function claimStore(table: Table, tableName: string, ambient: Ambient): ClaimStore {
  async function guarded<Answer>(
    limit: CallLimit,
    send: (signal: AbortSignal) => Promise<Answer>,
    otherTables: readonly string[] = [],
  ): Promise<Answer> {
    try {
      return await call(ambient, limit, send);
    } catch (error) {
      throw storeFailure(error, tableName, otherTables);
    }
  }

  async function rowAt(rowKey: string, signal: AbortSignal): Promise<ClaimRow | undefined> {
    const item = await table.get(tableName, rowKeyAttributes(rowKey), signal);
    return item === undefined ? undefined : itemToRow(item);
  }

  /** A refusal that comes without the item (no row, an old client, an emulator) costs one consistent read. */
  async function refusedBy(
    item: Record<string, unknown> | undefined,
    claim: ClaimRef,
    ownStatuses: OwnStatuses,
    signal: AbortSignal,
  ): Promise<Landing> {
    const row = item === undefined ? await rowAt(claim.rowKey, signal) : itemToRow(item);
    const isOurs = row?.owner === claim.owner && row.fence === claim.fence;
    return isOurs && ownStatuses.includes(row.status) ? landed : { status: 'refused', row };
  }

  function write(own: OwnWrite, claim: ClaimRef, ownStatuses: OwnStatuses, limit: CallLimit) {
    return guarded(limit, async (signal): Promise<Landing> => {
      try {
        await ('Put' in own ? table.put(own.Put, signal) : table.update(own.Update, signal));
        return landed;
      } catch (error) {
        if (!isConditionFailure(error)) throw error;
        return refusedBy(error.Item, claim, ownStatuses, signal);
      }
    });
  }

  function transact(statement: TransactStatement, claim: ClaimRef, own: OwnStatuses, limit: CallLimit) {
    const send = async (signal: AbortSignal): Promise<CommitLanding> => {
      try {
        await table.transact(statement, signal);
        return landed;
      } catch (error) {
        if (isNamed(error, 'ValidationException')) return { status: 'impossible', cause: error };
        const cancellation = readCancellation(error);
        if (cancellation?.status === 'own-refused') return refusedBy(cancellation.item, claim, own, signal);
        if (cancellation?.status === 'rejected') return cancellation;
        if (cancellation?.status === 'impossible') return { status: 'impossible', cause: error };
        throw error;
      }
    };
    return guarded(limit, send, tablesBeside(tableName, statement));
  }

  /** The claim's own write, in one transaction with the user's when there are any. */
  function together(
    own: OwnWrite,
    claim: ClaimRef,
    writes: readonly TransactionWrite[],
    ownStatuses: OwnStatuses,
    limit: CallLimit,
  ): Promise<CommitLanding> {
    return writes.length === 0
      ? write(own, claim, ownStatuses, limit)
      : transact(commitStatement(claim, own, writes), claim, ownStatuses, limit);
  }

  const update = (statement: UpdateStatement, claim: ClaimRef, ownStatuses: OwnStatuses, limit: CallLimit) =>
    write({ Update: statement }, claim, ownStatuses, limit);

  return {
    ambient,
    tableName,
    read: (rowKey, limit) => guarded(limit, (signal) => rowAt(rowKey, signal)),
    acquire: (row, over, limit) =>
      write({ Put: acquireStatement(tableName, row, over) }, refOf(row), [row.status], limit),
    commit: (row, over, writes, limit) =>
      together({ Put: acquireStatement(tableName, row, over) }, refOf(row), writes, [row.status], limit),
    renew: (claim, leaseEndsAt, limit) =>
      update(renewStatement(tableName, claim, leaseEndsAt), claim, ['leased'], limit),
    settle: (claim, settlement, writes, limit) =>
      together(
        { Update: settleStatement(tableName, claim, settlement) },
        claim,
        writes,
        [settlement.status],
        limit,
      ),
    release: (claim, release, limit) =>
      update(releaseStatement(tableName, claim, release), claim, ['released'], limit),
    park: (claim, parking, limit) =>
      update(parkStatement(tableName, claim, parking), claim, ['parked'], limit),
    markParked: (claim, limit) => update(markParkedStatement(tableName, claim), claim, [], limit),
    markSent: (claim, sent, all, limit) =>
      update(markSentStatement(tableName, claim, sent, all), claim, ['completed', 'rejected'], limit),
    extend: (claim, expiresAtEpochSeconds, limit) =>
      update(
        extendStatement(tableName, claim, expiresAtEpochSeconds),
        claim,
        ['completed', 'rejected', 'parked'],
        limit,
      ),
    reopen: (seen, owner, nowMillis, limit) =>
      update(
        reopenStatement(tableName, seen, owner, nowMillis),
        { rowKey: seen.claim, fence: seen.fence + 1, owner },
        ['released'],
        limit,
      ),
    letGo: (seen, owner, nowMillis, limit) =>
      update(
        letGoStatement(tableName, seen, owner, nowMillis),
        { rowKey: seen.claim, fence: seen.fence + 1, owner },
        ['released'],
        limit,
      ),
  };
}

function refOf(row: ClaimRow): ClaimRef {
  return { rowKey: row.claim, fence: row.fence, owner: row.owner };
}

function tablesBeside(tableName: string, { TransactItems }: TransactStatement): readonly string[] {
  const names = TransactItems.flatMap((item) => Object.values(item).map(({ TableName }) => TableName));
  return [...new Set(names)].filter((name) => name !== undefined && name !== tableName);
}
