import { once } from 'node:events';
import {
  Agent,
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

/** What goes wrong with one call. */
export type Fault =
  /** Forwarded, answered upstream, and the client is cut off instead of told. */
  | { readonly kind: 'drop-reply' }
  /** The client is cut off and nothing is forwarded. */
  | { readonly kind: 'drop-request' }
  /** Forwarded later, even when its caller gives up in the meantime. */
  | { readonly kind: 'delay'; readonly millis: number }
  /** Answered by the proxy itself. */
  | { readonly kind: 'answer'; readonly statusCode: number; readonly body: string };

export interface ProxyOptions {
  /** Is asked about every call. */
  readonly faultOf: (seen: SeenRequest) => Fault | undefined;
  /**
   * Connections live on. Without, each call has one of its own, and a cut one can never take another down.
   * @default false
   */
  readonly keepAlive?: boolean;
}

/** A proxy between SDK clients and an emulator. */
export interface FaultyProxy {
  /** What the client takes as its `endpoint`. */
  readonly endpoint: string;
  stop(): Promise<void>;
}

interface Reply {
  readonly statusCode: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: Buffer;
}

/** Starts a proxy on a free port of 127.0.0.1. */
export async function startFaultyProxy(
  targetEndpoint: string,
  { faultOf, keepAlive = false }: ProxyOptions,
): Promise<FaultyProxy> {
  const stopping = new AbortController();
  const agent = new Agent({ keepAlive });

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await buffer(request);
    const target = String(request.headers['x-amz-target'] ?? '');
    const fault = faultOf({ target, body: body.toString('utf8') });
    if (fault?.kind === 'drop-request') return cutOff(response);
    if (fault?.kind === 'answer') return answer(response, jsonReply(fault.statusCode, fault.body));
    if (fault?.kind === 'delay') await wait(fault.millis, undefined, { signal: stopping.signal });
    const reply = await forward(new URL(request.url ?? '/', targetEndpoint), request, body);
    if (fault?.kind === 'drop-reply') return cutOff(response);
    answer(response, reply);
  };

  async function forward(url: URL, { method, headers }: IncomingMessage, body: Buffer): Promise<Reply> {
    const { connection: _ofTheClient, ...kept } = headers;
    const upstream = requestUpstream(url, { method, headers: kept, agent, signal: stopping.signal });
    upstream.end(body);
    const [incoming] = (await once(upstream, 'response')) as [IncomingMessage];
    return {
      statusCode: incoming.statusCode ?? 502,
      headers: incoming.headers,
      body: await buffer(incoming),
    };
  }

  function answer(response: ServerResponse, { statusCode, headers, body }: Reply): void {
    const { 'transfer-encoding': _, connection: _ofUpstream, 'keep-alive': _too, ...kept } = headers;
    response.writeHead(statusCode, {
      ...kept,
      'content-length': body.length,
      ...(keepAlive ? {} : { connection: 'close' }),
    });
    response.end(body);
  }

  const server = createServer((request, response) => {
    // An upstream that is gone looks to the client as it would without the proxy: the connection breaks.
    serve(request, response).catch(() => cutOff(response));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      stopping.abort();
      agent.destroy();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

function jsonReply(statusCode: number, body: string): Reply {
  return { statusCode, headers: { 'content-type': 'application/x-amz-json-1.0' }, body: Buffer.from(body) };
}

function cutOff(response: ServerResponse): void {
  response.socket?.destroy();
}
