import { Server } from 'node:net';
import { pathToFileURL } from 'node:url';

// fauxqs as a process of its own: node fauxqs-process <main file of fauxqs> [data directory].
//
// fauxqs listens on all interfaces and offers no way to say otherwise, so this process, which does nothing
// else, can only listen on loopback.
const listen = Server.prototype.listen as (this: Server, ...args: unknown[]) => Server;
Server.prototype.listen = function (this: Server, ...args: unknown[]) {
  const [options, ...rest] = args;
  return listen.call(this, { ...(options as object), host: '127.0.0.1' }, ...rest);
} as typeof Server.prototype.listen;

interface Fauxqs {
  startFauxqs(options: { port: number; logger: boolean; dataDir?: string }): Promise<{ address: string }>;
}

interface QueueStore {
  readonly SqsStore?: { readonly prototype: { buildQueueUrl(queueName: string, port: string): string } };
}

const [mainFile = '', dataDir] = process.argv.slice(2);
const main = pathToFileURL(mainFile).href;
const fauxqs = (await import(main)) as Fauxqs;
await nameReachableQueues();
const server = await fauxqs.startFauxqs({ port: 0, logger: false, ...(dataDir ? { dataDir } : {}) });
if (new URL(server.address).hostname !== '127.0.0.1') {
  throw new Error(`fauxqs listens on ${server.address}; expected 127.0.0.1 only`);
}
process.send?.({ endpoint: server.address });

/**
 * An SDK client sends to the host in the queue's URL unless its code states an endpoint, and that of fauxqs,
 * sqs.us-east-1.localhost, resolves nowhere. It has no option for it, but finds a queue by the last part of
 * the path, whatever the host. A fauxqs of another shape keeps its own URLs.
 */
async function nameReachableQueues(): Promise<void> {
  const { SqsStore } = (await import(new URL('sqs/sqsStore.js', main).href).catch(() => ({}))) as QueueStore;
  if (SqsStore === undefined) return;
  SqsStore.prototype.buildQueueUrl = (queueName, port) =>
    `http://127.0.0.1:${port}/000000000000/${queueName}`;
}
