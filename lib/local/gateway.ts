import { entryFile } from './entry-file.ts';
import type { Ledger } from './gateway-ledger.ts';
import type { GatewayWord } from './gateway-process.ts';
import { endProcess, spawnGuarded, withoutNodeOptions } from './guardian.ts';

/** Options of {@link startGateway}. */
export interface GatewayOptions {
  /**
   * How long a charge takes: half of it before the money is taken, half before the caller is told.
   * @default 80
   */
  readonly latencyMillis?: number;
  /**
   * Merchants it refuses until an account is opened for them.
   * @default - none
   */
  readonly closedMerchants?: readonly string[];
  /** Is told of every charge while its caller still waits for the answer. */
  readonly onCharge?: (orderId: string) => void;
}

/** A payment gateway on this machine, in a process of its own. */
export interface Gateway {
  readonly url: string;
  ledger(): Promise<Ledger>;
  openMerchant(merchantId: string): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts a payment gateway on a free loopback port. It honours idempotency keys and keeps a ledger, so that
 * what really happened can be read where no handler had a hand in it.
 * @example
 * const gateway = await startGateway();
 * const { charges } = await gateway.ledger();
 * await gateway.stop();
 */
export async function startGateway(options: GatewayOptions = {}): Promise<Gateway> {
  const { latencyMillis = 80, closedMerchants = [], onCharge = () => {} } = options;
  const child = spawnGuarded(
    process.execPath,
    [entryFile('gateway-process'), String(latencyMillis), ...closedMerchants],
    { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], env: withoutNodeOptions() },
  );
  const url = await new Promise<string>((resolve, reject) => {
    child.on('message', (word: GatewayWord) => {
      if (word.type === 'listening') resolve(word.url);
      else onCharge(word.orderId);
    });
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the gateway ended with ${code} before it listened`)));
  });
  return {
    url,
    ledger: async () => (await call(`${url}/ledger`)) as Ledger,
    async openMerchant(merchantId) {
      await call(`${url}/merchants/${merchantId}`, { method: 'PUT' });
    },
    stop: () => endProcess(child),
  };
}

async function call(url: string, init?: RequestInit): Promise<unknown> {
  const response = await fetch(url, init);
  if (!response.ok) throw new Error(`the gateway answered ${response.status} to ${url}`);
  return response.json();
}
