import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { z } from 'zod';
import { dynamoClaims, type HttpResponse, RetryLaterError, receiveHttp } from '../../index.ts';
import { type Away, awayWhenAsked } from './away.ts';

// A shop as a process of its own, with SHOP_PORT and SHOP_QUEUE_URL in its environment.
//
//   POST   /orders             creates an order; headers x-tenant, idempotency-key
//   DELETE /table, /queue      takes DynamoDB or SQS away, PUT brings it back
//   DELETE /process            kill -9, of itself
//
// The header x-demo makes the handler slow, busy, fail, ask for later or answer at length. It is no part of the request's
// fingerprint, so a retry without it is the same request.

/** What the shop tells its parent. */
export type ShopWord = { readonly type: 'listening' } | { readonly type: 'told'; readonly line: string };

/** How long a slow order takes. */
const slowMillis = 6_000;

/** Short, so that a killed shop's orders are free soon. */
const leaseSeconds = 5;

/** More than is kept of an answer. */
const longBody = 'x'.repeat(300 * 1_024);

const { SHOP_PORT: port = '0', SHOP_QUEUE_URL: queueUrl = '' } = process.env;
const away: Away = { table: false, queue: false };

const Order = z.object({ sku: z.string(), count: z.int().positive().default(1) });

const shop = receiveHttp(
  {
    scope: 'create-order',
    caller: ({ request }) => request.headers['x-tenant'],
    schema: Order,
    leaseSeconds,
    claims: dynamoClaims({ client: awayWhenAsked(new DynamoDBClient(), () => away.table) }),
    sqs: awayWhenAsked(new SQSClient({ endpoint: process.env.AWS_ENDPOINT_URL_SQS ?? '' }), () => away.queue),
    observers: [
      ({ type, attempt, reason }) => {
        const number = attempt === undefined ? '' : `, attempt ${attempt}`;
        tell({ type: 'told', line: `${type}${number}${reason === undefined ? '' : ` (${reason})`}` });
      },
    ],
  },
  async (request, attempt): Promise<HttpResponse> => {
    if (request.method !== 'POST') return steer(request.method, request.path);
    const { body: order, headers } = request;
    const wanted = headers['x-demo'];
    if (wanted === 'slow') await sleep(slowMillis);
    if (wanted === 'fail') throw new Error('the handler failed, as it was asked to');
    if (wanted === 'later') throw new RetryLaterError({ afterSeconds: 30 });
    if (wanted === 'busy') return { statusCode: 503, body: 'the shop is busy' };

    const orderId = attempt.effectKey('order').slice(0, 8);
    // It counts its copies, so that a second one would show.
    attempt.transaction.update({
      TableName: 'orders',
      Key: { orderId },
      UpdateExpression: 'SET sku = :sku ADD copies :one',
      ExpressionAttributeValues: { ':sku': order.sku, ':one': 1 },
    });
    attempt.followUps.send({ queueUrl, body: { orderId } });
    return {
      statusCode: 201,
      headers: { location: `/orders/${orderId}` },
      cookies: ['seen=1'],
      body: wanted === 'long' ? longBody : { orderId, ...order },
    };
  },
);

function steer(method: string, path: string): HttpResponse {
  const thing = path.slice(1);
  if (thing === 'process' && method === 'DELETE') process.kill(process.pid, 'SIGKILL');
  if (thing !== 'table' && thing !== 'queue') return { statusCode: 404 };
  away[thing] = method === 'DELETE';
  return { statusCode: 200, body: `the ${thing} is ${away[thing] ? 'away' : 'back'}\n` };
}

const server = createServer(shop).listen(Number(port), '127.0.0.1', () => {
  tell({ type: 'listening' });
});
server.once('error', (error) => {
  tell({ type: 'told', line: error.message });
  process.exit(1);
});
// Without its parent nobody needs it.
process.once('disconnect', () => process.exit());

function tell(word: ShopWord): void {
  process.send?.(word);
}
