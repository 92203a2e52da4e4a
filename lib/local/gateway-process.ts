import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ChargeRequest, GatewayLedger } from './gateway-ledger.ts';

// A payment gateway as a process of its own: node gateway-process <latency in milliseconds> <closed merchant>…
//
//   POST /charges              header idempotency-key, body { orderId, merchantId, amountCents }
//   GET  /ledger               everything it remembers
//   PUT  /merchants/<id>       opens an account for a merchant it refuses
//
// It tells its parent of every charge while the caller still waits for the answer.

/** What the gateway tells its parent. */
export type GatewayWord =
  | { readonly type: 'listening'; readonly url: string }
  | { readonly type: 'charged'; readonly orderId: string };

const [latency = '0', ...closedMerchants] = process.argv.slice(2);
const latencyMillis = Number(latency);
const ledger = new GatewayLedger(closedMerchants);

const server = createServer((request, response) => {
  serve(request, response).catch((error: Error) => answer(response, 400, { error: error.message }));
});
server.listen(0, '127.0.0.1', () => {
  tell({ type: 'listening', url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
// Without its parent nobody needs it.
process.once('disconnect', () => process.exit());

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const route = `${request.method} ${request.url}`;
  if (route === 'POST /charges') return charge(request, response);
  if (route === 'GET /ledger') return answer(response, 200, ledger.read());
  const [, merchantId] = /^PUT \/merchants\/([\w-]+)$/.exec(route) ?? [];
  if (merchantId === undefined) return answer(response, 404, { error: `there is no ${route}` });
  ledger.openMerchant(merchantId);
  answer(response, 200, { merchantId });
}

async function charge(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const key = request.headers['idempotency-key'];
  if (typeof key !== 'string') return answer(response, 400, { error: 'there is no idempotency-key' });
  const wanted = (await json(request)) as ChargeRequest;
  await sleep(latencyMillis / 2);
  const said = ledger.charge(key, wanted);
  if (said.status === 'refused') return answer(response, 422, { error: said.error });
  if (said.status === 'charged') tell({ type: 'charged', orderId: wanted.orderId });
  await sleep(latencyMillis / 2);
  answer(response, 200, { id: said.charge.id });
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function tell(word: GatewayWord): void {
  process.send?.(word);
}
