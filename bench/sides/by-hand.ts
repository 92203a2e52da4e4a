import { BatchExecuteStatementCommand, PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { acquireStatement } from '../../lib/store/acquire.ts';
import { insertStatement, settleInBatch } from '../../lib/store/batching/statements.ts';
import type { Settlement } from '../../lib/store/port.ts';
import { settleStatement } from '../../lib/store/settle.ts';
import type { ClaimRow } from '../../lib/words.ts';
import { ours } from './ours.ts';
import type { Order, Side } from './side.ts';

// What ours sends, word for word, with nothing around it: the floor for anything that keeps such a row.

const { table, partitionKey } = ours;

/** The two writes of each message. */
export const writesByHand: Side = {
  name: 'the same writes by hand',
  table,
  partitionKey,
  open(client, work) {
    const once = async (order: Order) => {
      const row = rowOf(order);
      await client.send(new PutItemCommand(acquireStatement(table, row, undefined)));
      const settlement = settlementOf(await work(order));
      await client.send(new UpdateItemCommand(settleStatement(table, refOf(row), settlement)));
    };
    return (event) => Promise.allSettled(event.Records.map(async ({ body }) => once(JSON.parse(body))));
  },
};

/** The two calls of a whole batch. */
export const statementsByHand: Side = {
  name: 'the same statements by hand',
  table,
  partitionKey,
  open: (client, work) => async (event) => {
    const orders = event.Records.map(({ body }): Order => JSON.parse(body));
    const rows = orders.map(rowOf);
    const claims = rows.map((row) => insertStatement(table, row));
    await client.send(new BatchExecuteStatementCommand({ Statements: claims }));
    const settlements = await Promise.all(orders.map(async (order) => settlementOf(await work(order))));
    const settles = settlements.map((settlement, place) =>
      settleInBatch(table, refOf(rows[place] as ClaimRow), settlement),
    );
    await client.send(new BatchExecuteStatementCommand({ Statements: settles }));
  },
};

const nowMillis = Date.now();
const expiresAt = Math.ceil(nowMillis / 1_000) + 30 * 86_400;

function rowOf({ orderId }: Order): ClaimRow {
  return {
    claim: `bench#${orderId}`,
    status: 'leased',
    fence: 1,
    owner: crypto.randomUUID(),
    attempts: 1,
    leaseEndsAt: nowMillis + 60_000,
    expiresAt,
    firstClaimedAt: nowMillis,
    claimedAt: nowMillis,
    messageId: crypto.randomUUID(),
    version: 1,
    fingerprint: `v1:${'-'.repeat(43)}`,
  };
}

function refOf({ claim, fence, owner }: ClaimRow) {
  return { rowKey: claim, fence, owner };
}

function settlementOf(result: unknown): Settlement {
  return { status: 'completed', result: JSON.stringify(result), settledAt: nowMillis, expiresAt };
}
