import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Gateway, startGateway } from '../../lib/local/gateway.ts';

const told: string[] = [];
let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({
    latencyMillis: 0,
    closedMerchants: ['closed'],
    onCharge: (orderId) => told.push(orderId),
  });
});
afterAll(() => gateway.stop());

async function charge(key: string, orderId: string, amountCents = 100, merchantId = 'open') {
  const response = await fetch(`${gateway.url}/charges`, {
    method: 'POST',
    headers: { 'idempotency-key': key },
    body: JSON.stringify({ orderId, merchantId, amountCents }),
  });
  return { status: response.status, ...((await response.json()) as { id?: string; error?: string }) };
}

async function chargesOf(orderId: string) {
  const { charges } = await gateway.ledger();
  return charges.filter((entry) => entry.orderId === orderId);
}

test('one key is charged once, even by calls that run at the same time', async () => {
  const answers = await Promise.all([charge('k-1', 'o-1'), charge('k-1', 'o-1'), charge('k-1', 'o-1')]);
  const [first] = await chargesOf('o-1');
  expect(answers).toEqual(Array(3).fill({ status: 200, id: first?.id }));
  expect(await chargesOf('o-1')).toHaveLength(1);
  expect((await gateway.ledger()).callsByOrder['o-1']).toBe(3);
  expect(told.filter((orderId) => orderId === 'o-1')).toHaveLength(1);
});

test('another key is another charge, whatever it is for', async () => {
  await charge('k-2', 'o-2');
  await charge('k-3', 'o-2');
  expect(await chargesOf('o-2')).toHaveLength(2);
});

test('a key is refused for another charge', async () => {
  await charge('k-4', 'o-4');
  expect(await charge('k-4', 'o-4', 200)).toMatchObject({ status: 422 });
  expect(await charge('k-4', 'o-5')).toMatchObject({ status: 422 });
  expect(await chargesOf('o-5')).toEqual([]);
});

test('a merchant without an account is refused until one is opened, under the same key', async () => {
  expect(await charge('k-6', 'o-6', 100, 'closed')).toMatchObject({
    status: 422,
    error: 'the merchant has no account yet',
  });
  await gateway.openMerchant('closed');
  expect(await charge('k-6', 'o-6', 100, 'closed')).toMatchObject({ status: 200 });
});

test('a charge without a key is refused', async () => {
  const response = await fetch(`${gateway.url}/charges`, { method: 'POST', body: '{}' });
  expect(response.status).toBe(400);
});
