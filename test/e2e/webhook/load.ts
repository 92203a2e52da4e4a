import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import autocannon from 'autocannon';
import { type Shop, startShop } from '../../../lib/local/webhook-demo/shop.ts';
import { askPort, type Told } from '../../support/http-events.ts';

export interface LoadPlan {
  readonly requests: number;
  readonly connections: number;
  /** Share of the requests whose key was used before, many while the first still runs. */
  readonly duplicates: number;
  /** How often the serving process is killed under load. */
  readonly kills: number;
  readonly seed: number;
}

/** What the load came to. */
export interface LoadReport {
  readonly distinctKeys: number;
  readonly effects: number;
  /** Keys whose effect happened more than once. */
  readonly doubleEffects: number;
  readonly kills: number;
  /** Answers by status, and connections that broke, under load. */
  readonly answers: Readonly<Record<string, number>>;
  /** Keys that had to be asked for again after the load, as a sender does. */
  readonly retried: number;
  /** Keys that got two different recorded answers. */
  readonly contradictions: number;
  readonly requestsPerSecond: number;
}

/** Puts the shop under load with duplicates, kills it meanwhile, lets the senders retry and counts effects. */
export async function loadTheShop(plan: LoadPlan): Promise<LoadReport> {
  let kills = 0;
  const shop = await startShop({
    port: 0,
    processes: 2,
    onTold(line) {
      if (line.includes('SIGKILL')) kills += 1;
    },
  });
  try {
    const keys = keysOf(plan);
    const { answers, bodies, requestsPerSecond } = await fire(shop, plan, keys);
    const distinct = [...new Set(keys)];
    const unanswered = distinct.filter((key) => bodies.get(key) === undefined);
    for (const key of distinct) keep(bodies, key, await retried(shop, key));
    const { Items = [] } = await shop.aws.dynamo().send(new ScanCommand({ TableName: 'orders' }));
    const copies = Items.map((item) => Number(unmarshall(item).copies));
    return {
      distinctKeys: distinct.length,
      effects: copies.reduce((sum, count) => sum + count, 0),
      doubleEffects: copies.filter((count) => count !== 1).length,
      kills,
      answers,
      retried: unanswered.length,
      contradictions: [...bodies.values()].filter((texts) => texts.size > 1).length,
      requestsPerSecond,
    };
  } finally {
    await shop.stop();
  }
}

type Bodies = Map<string, Set<string>>;

function keep(bodies: Bodies, key: string, body: string): void {
  bodies.set(key, (bodies.get(key) ?? new Set()).add(body));
}

/** A key for every request: a fresh one, or one of the last few. */
function keysOf({ requests, duplicates, connections, seed }: LoadPlan): readonly string[] {
  const random = randomFrom(seed);
  const keys: string[] = [];
  for (let place = 0; place < requests; place += 1) {
    const back = Math.ceil(random() * Math.min(place, connections * 4));
    const again = random() < duplicates ? keys[place - back] : undefined;
    keys.push(again ?? `order-${place}`);
  }
  return keys;
}

/** Mulberry32: small, and the same numbers for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const headersOf = (key: string) => ({ 'idempotency-key': key, 'x-tenant': 'load' });
const bodyOf = (key: string) => JSON.stringify({ sku: key });

async function fire(shop: Shop, plan: LoadPlan, keys: readonly string[]) {
  const answers: Record<string, number> = {};
  const bodies: Bodies = new Map();
  const count = (what: string) => {
    answers[what] = (answers[what] ?? 0) + 1;
  };
  let next = 0;
  let answered = 0;
  let killed = 0;
  const run = autocannon({
    url: `http://127.0.0.1:${shop.port}`,
    connections: plan.connections,
    amount: plan.requests,
    timeout: 20,
    requests: [
      {
        method: 'POST',
        path: '/orders',
        setupRequest(request, context) {
          const key = keys[next % keys.length] ?? '';
          next += 1;
          Object.assign(context, { key });
          return { ...request, headers: { ...request.headers, ...headersOf(key) }, body: bodyOf(key) };
        },
        onResponse(status, body, context) {
          count(String(status));
          if (status === 201) keep(bodies, String(Reflect.get(context, 'key')), body);
          answered += 1;
          if (killed < plan.kills && answered > (plan.requests * (killed + 1)) / (plan.kills + 1)) {
            killed += 1;
            // The one who asks for the kill gets no answer to it.
            askPort(shop.port, { method: 'DELETE', path: '/process' }).catch(() => undefined);
          }
        },
      },
    ],
  });
  const { requests, errors } = await run;
  return { answers: { ...answers, broken: errors }, bodies, requestsPerSecond: Math.round(requests.average) };
}

const mostRetries = 200;

/** Asks again for as long as the answer says to, or there is none. */
async function retried(shop: Shop, key: string): Promise<string> {
  for (let turn = 0; turn < mostRetries; turn += 1) {
    const told = await askPort(shop.port, {
      path: '/orders',
      headers: Object.entries(headersOf(key)),
      body: bodyOf(key),
    }).catch((): Partial<Told> => ({ status: 0 }));
    if (told.status === 201) return String(told.body);
    if (told.status !== 409 && told.status !== 503 && told.status !== 0) {
      throw new Error(`${key} was answered ${told.status}: ${told.body}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  throw new Error(`${key} was not answered in ${mostRetries} retries`);
}
