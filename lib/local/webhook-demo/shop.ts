import type { ChildProcess } from 'node:child_process';
import { entryFile } from '../entry-file.ts';
import { endProcess, spawnGuarded, withoutNodeOptions } from '../guardian.ts';
import { type LocalAws, startLocalAws } from '../local-aws.ts';
import type { ShopWord } from './shop-process.ts';

export interface ShopOptions {
  /** 0 takes a free one. */
  readonly port: number;
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

/** Starts the shop; when its process is killed, another takes its place on the same port. */
export async function startShop({ port, onTold = () => {} }: ShopOptions): Promise<Shop> {
  const aws = await startLocalAws();
  try {
    const tableName = await aws.createClaimTable();
    await aws.createTable('orders', 'orderId');
    const { queueUrl } = await aws.createQueuePair({ name: 'orders' });
    const env = { ...withoutNodeOptions(), ...aws.env, SQS_ONCE_TABLE: tableName };
    const keeper = new ShopKeeper(env, queueUrl, onTold);
    return {
      port: await keeper.open(port),
      aws,
      queueUrl,
      async stop() {
        await keeper.close();
        await aws.stop();
      },
    };
  } catch (error) {
    await aws.stop();
    throw error;
  }
}

class ShopKeeper {
  private child: ChildProcess | undefined;
  private closing = false;
  private readonly env: NodeJS.ProcessEnv;
  private readonly queueUrl: string;
  private readonly onTold: (line: string) => void;

  constructor(env: NodeJS.ProcessEnv, queueUrl: string, onTold: (line: string) => void) {
    this.env = env;
    this.queueUrl = queueUrl;
    this.onTold = onTold;
  }

  open(port: number): Promise<number> {
    const child = spawnGuarded(
      process.execPath,
      [entryFile('webhook-demo/shop-process'), String(port), this.queueUrl],
      {
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
        env: this.env,
      },
    );
    this.child = child;
    return new Promise((resolve, reject) => {
      let opened: number | undefined;
      child.on('message', (word: ShopWord) => {
        if (word.type === 'told') return this.onTold(word.line);
        opened = word.port;
        resolve(word.port);
      });
      child.once('error', reject);
      child.once('exit', (code, signal) => {
        if (opened === undefined) return reject(new Error(`the shop ended with ${code} before it opened`));
        if (this.closing) return;
        this.onTold(`the process was ended by ${signal ?? code}; another opens`);
        this.open(opened).catch((error: Error) => this.onTold(error.message));
      });
    });
  }

  async close(): Promise<void> {
    this.closing = true;
    if (this.child !== undefined) await endProcess(this.child);
  }
}
