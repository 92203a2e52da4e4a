import { type SQSClient, SQSClient as Sqs } from '@aws-sdk/client-sqs';
import { checkedScope } from './arrive/row-key.ts';
import { ConfigurationError } from './errors.ts';
import type { Observer } from './observe/events.ts';
import {
  agreed,
  type Environment,
  numberText,
  type Options,
  shown,
  whole,
  wholeText,
} from './option-checks.ts';
import { dynamoClaims } from './store/dynamo.ts';
import type { ClaimStore } from './store/port.ts';

/** What the engine of a consumer and of a receiver both need. */
export interface EngineSettings {
  readonly scope: string;
  readonly store: ClaimStore;
  readonly sqs: () => Pick<SQSClient, 'send'>;
  readonly leaseMillis: number | undefined;
  /** How long a row is kept that was touched now. */
  readonly retentionMillis: (fifo: boolean) => number;
  readonly observers: readonly Observer[];
}

/** The settings both faces share. */
export function engineSettings(
  given: Options,
  environment: Environment,
  defaultRetentionSeconds: (fifo: boolean) => number,
): EngineSettings {
  const leaseSeconds = agreed(
    'leaseSeconds',
    leaseOf(given, 'leaseSeconds'),
    leaseOf(
      { SQS_ONCE_LEASE_SECONDS: numberText(environment, 'SQS_ONCE_LEASE_SECONDS') },
      'SQS_ONCE_LEASE_SECONDS',
    ),
    'SQS_ONCE_LEASE_SECONDS',
  );
  const retentionSeconds = agreed(
    'retentionSeconds',
    whole(given, 'retentionSeconds', 1, 5 * 365 * 86_400),
    wholeText(environment, 'SQS_ONCE_RETENTION_SECONDS', 1, 5 * 365 * 86_400),
    'SQS_ONCE_RETENTION_SECONDS',
    'either',
  );
  if (retentionSeconds !== undefined && leaseSeconds !== undefined) {
    refuseShortRetention(retentionSeconds, leaseSeconds);
  }
  const store = storeOf(given.claims);
  return {
    scope: checkedScope(given.scope),
    store,
    sqs: sqsOf(given.sqs === undefined ? store.sqs : given.sqs, environment),
    leaseMillis: leaseSeconds === undefined ? undefined : leaseSeconds * 1_000,
    retentionMillis: (fifo) => (retentionSeconds ?? defaultRetentionSeconds(fifo)) * 1_000,
    observers: observersOf(given.observers),
  };
}

function leaseOf(given: Options, name: string): number | undefined {
  const value = given[name];
  if (value === undefined) return undefined;
  if (typeof value !== 'number' || !(value >= 3 && value <= 43_200)) {
    throw new ConfigurationError(
      `${name} is ${shown(value)}; give at least 3 and at most 43,200, so that one late heartbeat does not lose the claim`,
    );
  }
  return value;
}

function refuseShortRetention(retentionSeconds: number, leaseSeconds: number): void {
  if (retentionSeconds <= leaseSeconds) {
    throw new ConfigurationError(
      `retentionSeconds is ${retentionSeconds} and leaseSeconds ${leaseSeconds}; keep rows longer than a lease, and longer than SQS can redeliver`,
    );
  }
}

function storeOf(claims: unknown): ClaimStore {
  if (claims === undefined) return dynamoClaims();
  if (typeof claims !== 'object' || claims === null || !('acquire' in claims) || !('settle' in claims)) {
    throw new ConfigurationError(
      `claims is ${shown(claims)}; give dynamoClaims({ client, tableName }) or memoryClaims()`,
    );
  }
  return claims as ClaimStore;
}

function sqsOf(given: unknown, environment: Environment): () => Pick<SQSClient, 'send'> {
  if (given !== undefined) {
    if (typeof given !== 'object' || given === null || typeof Reflect.get(given, 'send') !== 'function') {
      throw new ConfigurationError(`sqs is ${shown(given)}; give an SQSClient`);
    }
    return () => given as SQSClient;
  }
  let client: SQSClient | undefined;
  return () => {
    // The SDK sends to the host in the queue's URL unless the endpoint is given; a local stand-in's may not resolve.
    const endpoint = environment.AWS_ENDPOINT_URL_SQS ?? environment.AWS_ENDPOINT_URL;
    client ??= new Sqs(endpoint === undefined ? {} : { endpoint });
    return client;
  };
}

function observersOf(given: unknown): readonly Observer[] {
  if (given === undefined) return [];
  if (!Array.isArray(given) || given.some((observer) => typeof observer !== 'function')) {
    throw new ConfigurationError(
      `observers is ${shown(given)}; give an array of functions, each taking an event`,
    );
  }
  return [...given];
}
