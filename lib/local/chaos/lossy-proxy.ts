import { entryFile } from '../entry-file.ts';
import { endProcess, spawnGuarded, withoutNodeOptions } from '../guardian.ts';
import type { Order, ProxyWord, Service } from './lossy-proxy-process.ts';

/** The network between workers and AWS, as bad as it is told to be. */
export interface LossyProxy {
  readonly endpoints: Readonly<Record<Service, string>>;
  /** Breaks the next writing call to a service. */
  breakNext(order: Order): void;
  stop(): Promise<void>;
}

export type Broken = Extract<ProxyWord, { type: 'broken' }>;

export async function startLossyProxy(
  aws: { readonly dynamoEndpoint: string; readonly sqsEndpoint: string },
  onBroken: (broken: Broken) => void,
): Promise<LossyProxy> {
  const child = spawnGuarded(
    process.execPath,
    [entryFile('chaos/lossy-proxy-process'), aws.dynamoEndpoint, aws.sqsEndpoint],
    { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], env: withoutNodeOptions() },
  );
  const endpoints = await new Promise<LossyProxy['endpoints']>((resolve, reject) => {
    child.on('message', (word: ProxyWord) => {
      if (word.type === 'listening') resolve(word.endpoints);
      else onBroken(word);
    });
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the proxy ended with ${code} before it listened`)));
  });
  return {
    endpoints,
    breakNext: (order) => child.send(order),
    stop: () => endProcess(child),
  };
}
