import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { entryFile } from '../entry-file.ts';
import { type LocalAws, startLocalAws } from '../local-aws.ts';
import type { ShopWord } from './shop-process.ts';

export interface ShopOptions {
  /** 0 takes a free one. */
  readonly port: number;
  /**
   * How many processes serve it; with more than one there is always somebody when one is killed.
   * @default 1
   */
  readonly processes?: number;
  /** Is told what happens to requests, a line at a time. */
  readonly onTold?: (line: string) => void;
}

/** The shop of `npm run demo:webhook`, with its table and its queue. */
export interface Shop {
  readonly port: number;
  readonly aws: LocalAws;
  /** The orders' queue. */
  readonly queueUrl: string;
  stop(): Promise<void>;
}

/** Starts the shop; when a process of it is killed, another takes its place on the same port. */
export async function startShop(options: ShopOptions): Promise<Shop> {
  const { port, processes = 1, onTold = () => {} } = options;
  const aws = await startLocalAws();
  try {
    const tableName = await aws.createClaimTable();
    await aws.createTable('orders', 'orderId');
    const { queueUrl } = await aws.createQueuePair({ name: 'orders' });
    const crew = new Crew({ ...aws.env, SQS_ONCE_TABLE: tableName, SHOP_QUEUE_URL: queueUrl }, onTold);
    const opened = port === 0 ? await freePort() : port;
    for (let process = 0; process < processes; process += 1) await crew.open(opened);
    return {
      port: opened,
      aws,
      queueUrl,
      async stop() {
        await crew.close();
        await aws.stop();
      },
    };
  } catch (error) {
    await aws.stop();
    throw error;
  }
}

/** Workers share a port by its number, and the one that follows the last of them has to find it again. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

class Crew {
  private readonly workers = new Set<Worker>();
  private closing = false;
  private readonly env: Readonly<Record<string, string>>;
  private readonly onTold: (line: string) => void;

  constructor(env: Readonly<Record<string, string>>, onTold: (line: string) => void) {
    this.env = env;
    this.onTold = onTold;
  }

  /** Opens one process more. */
  open(port: number): Promise<void> {
    // By turns a connection may be handed to a process that is just dying, and then nobody ever answers it. A process
    // that fetches its connections itself takes them along, and the client sees that they broke.
    cluster.schedulingPolicy = cluster.SCHED_NONE;
    cluster.setupPrimary({
      exec: entryFile('webhook-demo/shop-process'),
      args: [],
      execArgv: [],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    // Flags meant for this process alone, such as a test runner's loaders, are none of the shop's.
    const worker = cluster.fork({ ...this.env, SHOP_PORT: String(port), NODE_OPTIONS: '' });
    this.workers.add(worker);
    return new Promise((resolve, reject) => {
      let isOpen = false;
      worker.on('message', (word: ShopWord) => {
        if (word.type === 'told') return this.onTold(word.line);
        isOpen = true;
        resolve();
      });
      worker.once('exit', (code, signal) => {
        this.workers.delete(worker);
        if (!isOpen) return reject(new Error(`the shop ended with ${code} before it opened`));
        if (this.closing) return;
        this.onTold(`the process was ended by ${signal ?? code}; another opens`);
        this.open(port).catch((error: Error) => this.onTold(error.message));
      });
    });
  }

  async close(): Promise<void> {
    this.closing = true;
    await Promise.all(
      [...this.workers].map((worker) => {
        const gone = once(worker, 'exit');
        worker.process.kill('SIGKILL');
        return gone;
      }),
    );
  }
}
