import { startDynoxide } from '../lib/local/dynoxide.ts';
import { createTable } from '../lib/local/tables.ts';
import { clientOf } from './clients.ts';
import type { Side } from './sides/side.ts';

/** One local DynamoDB with a table for each side. */
export async function startTables(sides: readonly Side[]) {
  const dynamo = await startDynoxide();
  const client = clientOf(dynamo.endpoint);
  const tables = new Map(sides.map((side) => [side.table, side.partitionKey]));
  for (const [table, partitionKey] of tables) await createTable(client, table, partitionKey);
  return {
    endpoint: dynamo.endpoint,
    client,
    async stop() {
      client.destroy();
      await dynamo.stop();
    },
  };
}
