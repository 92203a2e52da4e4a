// What a stranger sends, and how they look for divergences: docs/chaos.md in a test.
import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import type { Check } from '../../../lib/local/chaos/check.ts';
import type { Shipment } from './shipments.ts';

export const body = (number: number): Shipment => ({ shipmentId: `shipment-${number}`, parcels: 1 });

export const check: Check = async (messages, { dynamo }) => {
  const { Item } = await dynamo.send(
    new GetItemCommand({ TableName: 'shelves', Key: { shelf: { S: 'out' } } }),
  );
  const out = Number(Item?.parcels?.N ?? 0);
  return out === messages.length ? [] : [`${messages.length} parcels were ordered and ${out} went out`];
};
