import assert from 'node:assert/strict';
import { Cdk, type Context, named, type Surroundings } from './cdk.ts';
import { type Gateway, startGateway } from './gateway.ts';
import { eventually, Outside } from './outside.ts';
import { step } from './step.ts';

const outputNames = [
  'Orders',
  'Parked',
  'Events',
  'ReceiptQueue',
  'Captures',
  'Balances',
  'Payments',
  'Receipts',
  'ParcelEvents',
  'Webhook',
] as const;

type Outputs = Readonly<Record<(typeof outputNames)[number], string>>;

interface Example {
  readonly outputs: Outputs;
  readonly outside: Outside;
  readonly gateway: Gateway;
  readonly endpoint: string;
}

const order = { orderId: 'order-1', merchantId: 'merchant-1', amountCents: 1_250 };

const laws: readonly (readonly [sentence: string, see: (example: Example) => Promise<void>])[] = [
  [
    'an order sent three times is charged once, captured once and added to the balance once',
    async ({ outputs, outside, gateway }) => {
      await outside.send(outputs.Events, JSON.stringify({ type: 'authorised', ...order }));
      await eventually(
        'the payment',
        () => outside.item(outputs.Payments, { orderId: order.orderId }),
        (payment) => payment?.state === 'authorised',
      );
      for (let time = 0; time < 3; time += 1) await outside.send(outputs.Orders, JSON.stringify(order));
      await outside.untilIdle(outputs.Orders);
      assert.equal(gateway.chargesOf(order.orderId), 1);
      assert.equal(gateway.callsFor(order.orderId), 1);
      assert.equal((await outside.items(outputs.Captures)).length, 1);
      const balance = await outside.item(outputs.Balances, { merchantId: order.merchantId });
      assert.equal(balance?.balanceCents, order.amountCents);
    },
  ],
  [
    'its event moves the payment on, and one receipt goes out',
    async ({ outputs, outside }) => {
      const receipt = await eventually(
        'the receipt',
        () => outside.item(outputs.Receipts, { orderId: order.orderId }),
        (found) => found !== undefined,
      );
      assert.equal(receipt?.copies, 1);
      const payment = await outside.item(outputs.Payments, { orderId: order.orderId });
      assert.equal(payment?.state, 'captured');
    },
  ],
  [
    'an order the gateway refuses is parked at once, and asked about once',
    async ({ outputs, outside, gateway }) => {
      await outside.send(outputs.Orders, JSON.stringify({ ...order, orderId: 'refused-1' }));
      const [parked] = await eventually(
        'the parked order',
        () => outside.drain(outputs.Parked),
        (messages) => messages.length > 0,
      );
      assert.match(parked?.MessageAttributes?.['sqs-once']?.StringValue ?? '', /"reason":"poison"/);
      assert.equal(gateway.callsFor('refused-1'), 1);
    },
  ],
  [
    'a carrier that reports twice gets the same answer twice, one message is in the queue, and no stranger gets in',
    async (example) => {
      const { outputs, outside } = example;
      const event = { eventId: 'event-1', parcelId: 'parcel-1', status: 'delivered' };
      const first = await report(example, { ...event, attempt: 1 });
      const second = await report(example, { ...event, attempt: 2 });
      assert.equal(first.status, 202);
      assert.equal(second.status, 202);
      assert.equal(second.headers.get('idempotency-replayed'), 'true');
      assert.equal((await report(example, event, false)).status, 403);
      assert.equal((await outside.drain(outputs.ParcelEvents)).length, 1);
    },
  ],
];

/** The stand-in serves a function URL under a path of its own, and sees whether a call is signed, not how well. */
function report({ outputs, endpoint }: Example, event: object, signed = true): Promise<Response> {
  const [id] = new URL(outputs.Webhook).hostname.split('.');
  const headers = {
    'content-type': 'application/json',
    ...(signed && {
      authorization: 'AWS4-HMAC-SHA256 Credential=carrier, SignedHeaders=host, Signature=none',
    }),
  };
  return fetch(`${endpoint}/_aws/lambda-url/${id}/`, {
    method: 'POST',
    headers,
    body: JSON.stringify(event),
  });
}

/** Deploys the example app, sends orders through it twice and thrice, and destroys it. */
export async function runExample(surroundings: Surroundings, endpoint: string): Promise<void> {
  const cdk = new Cdk({ file: 'test/deploy/example-app.ts', assembly: 'cdk.out/example' }, surroundings);
  const gateway = await startGateway();
  const outside = new Outside(endpoint);
  const context: Context = { gatewayUrl: gateway.url };
  try {
    const outputs = await step('cdk deploy of the example', () => cdk.deploy(context));
    const example = { outputs: named(outputNames, outputs), outside, gateway, endpoint };
    for (const [sentence, see] of laws) await step(sentence, () => see(example));
  } finally {
    await step('cdk destroy of the example', () => cdk.destroy(context));
    outside.close();
    gateway.close();
  }
}
