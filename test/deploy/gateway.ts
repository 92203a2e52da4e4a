import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';

/** A payment gateway on loopback that charges once per idempotency key, and counts. */
export interface Gateway {
  readonly url: string;
  /** Charges made for an order. */
  chargesOf(orderId: string): number;
  /** Times it was asked to charge an order. */
  callsFor(orderId: string): number;
  close(): void;
}

/** Refuses orders whose id begins with `refused`, charges all others. */
export async function startGateway(): Promise<Gateway> {
  const charged = new Map<string, string>();
  const calls: string[] = [];
  const server = createServer(async (request, response) => {
    const { orderId } = JSON.parse(await textOf(request));
    calls.push(orderId);
    const refused = String(orderId).startsWith('refused');
    if (!refused) charged.set(String(request.headers['idempotency-key']), orderId);
    response.writeHead(refused ? 422 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(refused ? { error: 'no such card' } : { id: `charge-of-${orderId}` }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    chargesOf: (orderId) => [...charged.values()].filter((order) => order === orderId).length,
    callsFor: (orderId) => calls.filter((order) => order === orderId).length,
    close: () => server.close().closeAllConnections(),
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}
