import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A request as its sender means it, before anything wraps it. */
export interface Asked {
  readonly method?: string;
  readonly path?: string;
  readonly query?: string;
  readonly headers?: readonly (readonly [name: string, value: string])[];
  readonly cookies?: readonly string[];
  readonly body?: string | Uint8Array;
  /** Whether the event carries the body as base64. */
  readonly base64?: boolean;
  readonly stage?: string;
  readonly requestId?: string;
}

/** An answer as its sender gets it, after everything is unwrapped. */
export interface Told {
  readonly status: number;
  /** By name in small letters, `set-cookie` left out. */
  readonly headers: Readonly<Record<string, string>>;
  readonly cookies: readonly string[];
  readonly body: Buffer;
  readonly json: unknown;
}

export const eventKinds = [
  'REST API',
  'HTTP API, payload 1.0',
  'HTTP API, payload 2.0',
  'function URL',
  'load balancer',
  'load balancer, multi-value',
] as const;
export type Kind = (typeof eventKinds)[number];

type Pairs = readonly (readonly [string, string])[];

/** The event that Lambda gets for a request. */
export function eventOf(kind: Kind, asked: Asked = {}): Record<string, unknown> {
  const { method = 'POST', path = '/orders', query = '', headers = [], cookies = [], stage } = asked;
  const { requestId = 'request-1' } = asked;
  const common = { ...bodyOf(asked) };
  const all: Pairs = [...headers, ...cookies.map((cookie) => ['Cookie', cookie] as const)];
  const parameters = [...new URLSearchParams(query)];
  switch (kind) {
    case 'REST API':
    case 'HTTP API, payload 1.0': {
      const inside = kind === 'REST API' ? path : `${stage === undefined ? '' : `/${stage}`}${path}`;
      return {
        ...common,
        ...(kind === 'REST API' ? {} : { version: '1.0' }),
        resource: '/{proxy+}',
        httpMethod: method,
        path: inside,
        headers: last(all),
        multiValueHeaders: many(all),
        queryStringParameters: parameters.length === 0 ? null : last(parameters),
        multiValueQueryStringParameters: parameters.length === 0 ? null : many(parameters),
        requestContext: {
          path: kind === 'REST API' && stage !== undefined ? `/${stage}${path}` : inside,
          stage: stage ?? '$default',
          requestId,
          httpMethod: method,
        },
      };
    }
    case 'HTTP API, payload 2.0':
    case 'function URL': {
      const prefix = stage === undefined ? '' : `/${stage}`;
      return {
        ...common,
        version: '2.0',
        rawPath: `${prefix}${path}`,
        rawQueryString: query,
        headers: commaJoined(headers),
        ...(cookies.length === 0 ? {} : { cookies }),
        requestContext: {
          stage: stage ?? '$default',
          requestId,
          http: { method, path: `${prefix}${path}` },
        },
      };
    }
    case 'load balancer':
    case 'load balancer, multi-value': {
      const raw = query === '' ? [] : query.split('&').map((pair) => rawPair(pair));
      const single = kind === 'load balancer';
      return {
        ...common,
        httpMethod: method,
        path,
        ...(single
          ? { headers: last(lower(all)), queryStringParameters: last(raw) }
          : { multiValueHeaders: many(lower(all)), multiValueQueryStringParameters: many(raw) }),
        requestContext: {
          elb: { targetGroupArn: 'arn:aws:elasticloadbalancing:us-east-1:1:targetgroup/t/1' },
        },
      };
    }
  }
}

function bodyOf({ body, base64 = body instanceof Uint8Array }: Asked) {
  if (body === undefined) return { body: null, isBase64Encoded: false };
  const bytes = Buffer.from(body as string);
  return { body: base64 ? bytes.toString('base64') : bytes.toString('utf8'), isBase64Encoded: base64 };
}

function last(pairs: Pairs): Record<string, string> {
  return Object.fromEntries(pairs);
}

function many(pairs: Pairs): Record<string, string[]> {
  const grouped = Map.groupBy(pairs, ([name]) => name);
  return Object.fromEntries([...grouped].map(([name, values]) => [name, values.map(([, value]) => value)]));
}

function lower(pairs: Pairs): Pairs {
  return pairs.map(([name, value]) => [name.toLowerCase(), value] as const);
}

function commaJoined(pairs: Pairs): Record<string, string> {
  return Object.fromEntries(
    Object.entries(many(lower(pairs))).map(([name, values]) => [name, values.join(',')]),
  );
}

function rawPair(pair: string): readonly [string, string] {
  const [name = '', ...value] = pair.split('=');
  return [name, value.join('=')];
}

interface LambdaAnswer {
  readonly statusCode?: unknown;
  readonly statusDescription?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly multiValueHeaders?: Readonly<Record<string, readonly string[]>>;
  readonly cookies?: readonly string[];
  readonly body?: string;
  readonly isBase64Encoded?: boolean;
}

/** What the sender gets of an answer, by the rules of what brought the request. What it would not read is refused. */
export function toldBy(kind: Kind, answer: unknown): Told {
  const { statusCode, statusDescription, headers, multiValueHeaders, cookies, body, isBase64Encoded } =
    answer as LambdaAnswer;
  const v2 = kind === 'HTTP API, payload 2.0' || kind === 'function URL';
  const balanced = kind.startsWith('load balancer');
  if (typeof statusCode !== 'number') throw new Error(`statusCode is ${statusCode}`);
  if (v2 && multiValueHeaders !== undefined) throw new Error('payload 2.0 ignores multiValueHeaders');
  if (!v2 && cookies !== undefined) throw new Error('only payload 2.0 reads cookies');
  if (kind === 'load balancer' && multiValueHeaders !== undefined) throw new Error('not switched on');
  if (kind === 'load balancer, multi-value' && headers !== undefined)
    throw new Error('ignored when switched on');
  if (balanced && !/^\d{3} \w/.test(String(statusDescription))) throw new Error('no status description');
  const pairs = [
    ...Object.entries(headers ?? {}),
    ...Object.entries(multiValueHeaders ?? {}).flatMap(([name, values]) =>
      values.map((value) => [name, value] as const),
    ),
    ...(cookies ?? []).map((cookie) => ['set-cookie', cookie] as const),
  ];
  if (new Set(Object.keys(headers ?? {})).size !== Object.keys(headers ?? {}).length)
    throw new Error('twice');
  return tell(statusCode, lower(pairs), Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8'));
}

function tell(status: number, pairs: Pairs, body: Buffer): Told {
  const text = body.toString('utf8');
  return {
    status,
    headers: Object.fromEntries(
      Object.entries(many(pairs.filter(([name]) => name !== 'set-cookie'))).map(([name, values]) => [
        name,
        values.join(', '),
      ]),
    ),
    cookies: pairs.filter(([name]) => name === 'set-cookie').map(([, value]) => value),
    body,
    json: /^[[{]/.test(text) ? JSON.parse(text) : undefined,
  };
}

/** A server on loopback, for `node:http` listeners. */
export interface TestServer {
  readonly port: number;
  ask(asked?: Asked): Promise<Told>;
  stop(): Promise<void>;
}

export async function serve(listener: RequestListener): Promise<TestServer> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    ask: (asked) => askPort(port, asked),
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Asks over a connection of its own. */
export async function askPort(port: number, asked: Asked = {}): Promise<Told> {
  const { method = 'POST', path = '/orders', query = '', headers = [], cookies = [], body = '' } = asked;
  const sent = request({
    host: '127.0.0.1',
    port,
    method,
    path: query === '' ? path : `${path}?${query}`,
    headers: many([...headers, ...cookies.map((cookie) => ['cookie', cookie] as const)]),
    agent: false,
  });
  sent.end(body);
  const [answer] = await once(sent, 'response');
  return tell(answer.statusCode, pairsOf(answer.headers), await buffer(answer));
}

const ofTheConnection = new Set(['date', 'connection', 'keep-alive', 'transfer-encoding', 'content-length']);

function pairsOf(headers: IncomingHttpHeaders): Pairs {
  return Object.entries(headers)
    .filter(([name]) => !ofTheConnection.has(name))
    .flatMap(([name, value]) => [value ?? []].flat().map((each) => [name, each] as const));
}
