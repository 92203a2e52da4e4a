import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  request as requestUpstream,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';

/** One API call as the proxy saw it. */
export interface SeenRequest {
  /** The `x-amz-target` header, such as `DynamoDB_20120810.UpdateItem` or `AmazonSQS.SendMessage`. */
  readonly target: string;
  readonly body: string;
}

export type Match = (request: SeenRequest) => boolean;

/** A proxy between an SDK client and an emulator that breaks calls on demand. */
export interface DroppingProxy {
  /** What the client takes as its `endpoint`. */
  readonly endpoint: string;
  /** Every call seen, in the order of arrival, broken ones included. */
  readonly requests: readonly SeenRequest[];
  /** Forwards the next `times` matching calls, waits until upstream has answered, then cuts the client off. */
  dropNextReply(match?: Match, times?: number): void;
  /** Cuts the client off without forwarding the next `times` matching calls. */
  dropNextRequest(match?: Match, times?: number): void;
  /** Holds the next matching call back. It is forwarded even when its caller gives up in the meantime. */
  delayNext(millis: number, match?: Match): void;
  /** Answers the next `times` matching calls itself. An error body is `{ __type: 'ThrottlingException' }`. */
  answerNext(statusCode: number, body: unknown, match?: Match, times?: number): void;
  stop(): Promise<void>;
}

type Fault =
  | { readonly kind: 'drop-reply' }
  | { readonly kind: 'drop-request' }
  | { readonly kind: 'delay'; readonly millis: number }
  | { readonly kind: 'answer'; readonly statusCode: number; readonly body: string };

interface Rule {
  readonly fault: Fault;
  readonly match: Match;
  times: number;
}

interface Reply {
  readonly statusCode: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: Buffer;
}

const any: Match = () => true;

/** Starts a proxy on a free port of 127.0.0.1. The rule set first wins; each call meets at most one. */
export async function startDroppingProxy(targetEndpoint: string): Promise<DroppingProxy> {
  const rules: Rule[] = [];
  const requests: SeenRequest[] = [];
  const stopping = new AbortController();

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await buffer(request);
    const seen = { target: String(request.headers['x-amz-target'] ?? ''), body: body.toString('utf8') };
    requests.push(seen);
    const fault = takeFault(rules, seen);
    if (fault?.kind === 'drop-request') return cutOff(response);
    if (fault?.kind === 'answer') return answer(response, jsonReply(fault.statusCode, fault.body));
    if (fault?.kind === 'delay') await wait(fault.millis, undefined, { signal: stopping.signal });
    const reply = await forward(new URL(request.url ?? '/', targetEndpoint), request, body, stopping.signal);
    if (fault?.kind === 'drop-reply') return cutOff(response);
    answer(response, reply);
  };

  const server = createServer((request, response) => {
    // An upstream that is gone looks to the client as it would without the proxy: the connection breaks.
    serve(request, response).catch(() => cutOff(response));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  const add = (fault: Fault, match: Match = any, times = 1): void => {
    rules.push({ fault, match, times });
  };
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    dropNextReply: (match, times) => add({ kind: 'drop-reply' }, match, times),
    dropNextRequest: (match, times) => add({ kind: 'drop-request' }, match, times),
    delayNext: (millis, match) => add({ kind: 'delay', millis }, match),
    answerNext: (statusCode, body, match, times) =>
      add({ kind: 'answer', statusCode, body: JSON.stringify(body) }, match, times),
    async stop() {
      stopping.abort();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

function takeFault(rules: Rule[], seen: SeenRequest): Fault | undefined {
  const rule = rules.find(({ match, times }) => times > 0 && match(seen));
  if (rule) rule.times -= 1;
  return rule?.fault;
}

async function forward(
  url: URL,
  { method, headers }: IncomingMessage,
  body: Buffer,
  signal: AbortSignal,
): Promise<Reply> {
  // No connection is reused, so a cut one can never take another call down with it.
  const upstream = requestUpstream(url, {
    method,
    headers: { ...headers, connection: 'close' },
    agent: false,
    signal,
  });
  upstream.end(body);
  const [incoming] = (await once(upstream, 'response')) as [IncomingMessage];
  return {
    statusCode: incoming.statusCode ?? 502,
    headers: incoming.headers,
    body: await buffer(incoming),
  };
}

function jsonReply(statusCode: number, body: string): Reply {
  return { statusCode, headers: { 'content-type': 'application/x-amz-json-1.0' }, body: Buffer.from(body) };
}

function answer(response: ServerResponse, { statusCode, headers, body }: Reply): void {
  const { 'transfer-encoding': _, ...kept } = headers;
  response.writeHead(statusCode, { ...kept, 'content-length': body.length, connection: 'close' });
  response.end(body);
}

function cutOff(response: ServerResponse): void {
  response.socket?.destroy();
}
