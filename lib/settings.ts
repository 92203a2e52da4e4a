import { type SQSClient, SQSClient as Sqs } from '@aws-sdk/client-sqs';
import { checkedScope } from './arrive/row-key.ts';
import { ConfigurationError } from './errors.ts';
import type { Observer } from './observe/events.ts';
import { warnOnce } from './observe/warn-once.ts';
import type { ConsumerOptions } from './options.ts';
import { dynamoClaims } from './store/dynamo.ts';
import type { ClaimStore } from './store/port.ts';
import { defaultRetentionSeconds } from './window.ts';

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

/** A consumer's options, checked, with their defaults filled in. */
export interface Settings<Body> extends EngineSettings {
  readonly options: ConsumerOptions<Body>;
  readonly queues: QueueNames;
  readonly claim: 'first' | 'with-commit';
  readonly maxAttempts: number;
  readonly backoff: Required<Exclude<ConsumerOptions['backoff'], false | undefined>> | false;
  readonly concurrency: number;
  readonly fifoPoison: 'continue' | 'hold';
  readonly abandoned: 'run' | 'park';
  readonly partialResponses: boolean;
}

/** What options and environment say about queues; the rest is looked up from the record's ARN. */
export interface QueueNames {
  readonly queueUrl: string | undefined;
  readonly deadLetterQueueUrl: string | undefined;
  readonly environment: {
    readonly queueUrl: string | undefined;
    readonly deadLetterQueueUrl: string | undefined;
    readonly maxReceiveCount: number | undefined;
  };
}

type Options = Readonly<Record<string, unknown>>;
type Environment = Readonly<Record<string, string | undefined>>;

const consumerOptionNames: readonly string[] = [
  'scope',
  'claims',
  'sqs',
  'queueUrl',
  'deadLetterQueueUrl',
  'key',
  'schema',
  'parse',
  'fingerprint',
  'claim',
  'leaseSeconds',
  'retentionSeconds',
  'maxAttempts',
  'backoff',
  'concurrency',
  'fifoPoison',
  'onDuplicate',
  'abandoned',
  'partialResponses',
  'observers',
];

/** Checks a consumer's options against what is possible and against what the construct put into the environment. */
export function consumerSettings<Body>(
  options: ConsumerOptions<Body>,
  environment: Environment = process.env,
): Settings<Body> {
  const given: Options = objectOf(options, 'idempotentConsumer');
  refuseUnknown(given, consumerOptionNames, 'idempotentConsumer');
  for (const name of ['key', 'parse', 'onDuplicate'] as const) functionOr(given, name);
  if (given.fingerprint !== false) functionOr(given, 'fingerprint');
  schemaOf(given);
  const maxAttempts = agreed(
    'maxAttempts',
    whole(given, 'maxAttempts', 1, 1_000),
    wholeText(environment, 'SQS_ONCE_MAX_ATTEMPTS', 1, 1_000),
    'SQS_ONCE_MAX_ATTEMPTS',
  );
  const claim = agreed<'first' | 'with-commit'>(
    'claim',
    oneOf(given, 'claim', ['first', 'with-commit']),
    oneOf({ SQS_ONCE_CLAIM: environment.SQS_ONCE_CLAIM }, 'SQS_ONCE_CLAIM', ['first', 'with-commit']),
    'SQS_ONCE_CLAIM',
  );
  return {
    ...engineSettings(given, environment, defaultRetentionSeconds),
    options,
    queues: queueNames(given, environment),
    claim: claim ?? 'first',
    maxAttempts: maxAttempts ?? 5,
    backoff: backoffOf(given.backoff),
    concurrency: whole(given, 'concurrency', 1, 1_000) ?? 50,
    fifoPoison: oneOf(given, 'fifoPoison', ['continue', 'hold']) ?? 'continue',
    abandoned: oneOf(given, 'abandoned', ['run', 'park']) ?? 'run',
    partialResponses: partialResponsesOf(given, environment),
  };
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
      { SQS_ONCE_LEASE_SECONDS: numberText(environment.SQS_ONCE_LEASE_SECONDS) },
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
  return {
    scope: checkedScope(given.scope),
    store: storeOf(given.claims),
    sqs: sqsOf(given.sqs, environment),
    leaseMillis: leaseSeconds === undefined ? undefined : leaseSeconds * 1_000,
    retentionMillis: (fifo) => (retentionSeconds ?? defaultRetentionSeconds(fifo)) * 1_000,
    observers: observersOf(given.observers),
  };
}

export function objectOf(options: unknown, of: string): Options {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new ConfigurationError(`${of} was given ${shown(options)}; give an object with at least a scope`);
  }
  return options as Options;
}

export function refuseUnknown(given: Options, known: readonly string[], of: string): void {
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new ConfigurationError(
      `${of} has no option ${JSON.stringify(unknown)}; it has ${known.join(', ')}`,
    );
  }
}

export function functionOr(given: Options, name: string): void {
  if (given[name] !== undefined && typeof given[name] !== 'function') {
    throw new ConfigurationError(`${name} is ${shown(given[name])}; give a function`);
  }
}

/** A whole number of an option within its range, or nothing. */
export function whole(given: Options, name: string, least: number, most: number): number | undefined {
  const value = given[name];
  if (value === undefined) return undefined;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < least || value > most) {
    throw new ConfigurationError(`${name} is ${shown(value)}; give a whole number from ${least} to ${most}`);
  }
  return value;
}

function wholeText(environment: Environment, name: string, least: number, most: number): number | undefined {
  return whole({ [name]: numberText(environment[name]) }, name, least, most);
}

function numberText(text: string | undefined): number | undefined {
  return text === undefined || text === '' ? undefined : Number(text);
}

export function oneOf<Value extends string>(
  given: Options,
  name: string,
  values: readonly Value[],
): Value | undefined {
  const value = given[name];
  if (value === undefined) return undefined;
  const found = values.find((allowed) => allowed === value);
  if (found === undefined) {
    throw new ConfigurationError(
      `${name} is ${shown(value)}; give ${values.map((v) => `'${v}'`).join(' or ')}`,
    );
  }
  return found;
}

/** Code and deployment must not disagree: the construct derived alarms and limits from its own number. */
function agreed<Value>(
  name: string,
  code: Value | undefined,
  deployed: Value | undefined,
  variable: string,
  rule: 'same' | 'either' = 'same',
): Value | undefined {
  if (rule === 'same' && code !== undefined && deployed !== undefined && code !== deployed) {
    throw new ConfigurationError(
      `${name} is ${shown(code)} in code and ${shown(deployed)} in ${variable}; leave it out of the code, or deploy the same value`,
    );
  }
  return code ?? deployed;
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

const defaultBackoff = { minSeconds: 30, maxSeconds: 900, factor: 3 };

function backoffOf(given: unknown): Settings<unknown>['backoff'] {
  if (given === false) return false;
  if (given === undefined) return defaultBackoff;
  const options = objectOf(given, 'backoff');
  refuseUnknown(options, Object.keys(defaultBackoff), 'backoff');
  const minSeconds = between(options, 'minSeconds', 0, 43_200) ?? defaultBackoff.minSeconds;
  const maxSeconds =
    between(options, 'maxSeconds', minSeconds, 43_200) ?? Math.max(minSeconds, defaultBackoff.maxSeconds);
  return { minSeconds, maxSeconds, factor: between(options, 'factor', 1, 10) ?? defaultBackoff.factor };
}

function between(given: Options, name: string, least: number, most: number): number | undefined {
  const value = given[name];
  if (value === undefined) return undefined;
  if (typeof value !== 'number' || !(value >= least && value <= most)) {
    throw new ConfigurationError(
      `backoff.${name} is ${shown(value)}; give a number from ${least} to ${most}`,
    );
  }
  return value;
}

function partialResponsesOf(given: Options, environment: Environment): boolean {
  const value = given.partialResponses;
  if (value !== undefined && typeof value !== 'boolean') {
    throw new ConfigurationError(`partialResponses is ${shown(value)}; give true or false`);
  }
  if (value !== undefined) return value;
  const deployed = oneOf(
    { SQS_ONCE_PARTIAL_RESPONSES: environment.SQS_ONCE_PARTIAL_RESPONSES },
    'SQS_ONCE_PARTIAL_RESPONSES',
    ['true', 'false'],
  );
  if (deployed === undefined) {
    warnOnce(
      'partial-responses',
      'nothing says that the event source mapping has ReportBatchItemFailures on; without it Lambda deletes the messages that failed. Say partialResponses: true or false, or set SQS_ONCE_PARTIAL_RESPONSES.',
    );
  }
  return deployed !== 'false';
}

function queueNames(given: Options, environment: Environment): QueueNames {
  return {
    queueUrl: urlOf(given, 'queueUrl'),
    deadLetterQueueUrl: urlOf(given, 'deadLetterQueueUrl'),
    environment: {
      queueUrl: environment.SQS_ONCE_QUEUE_URL,
      deadLetterQueueUrl: environment.SQS_ONCE_DLQ_URL,
      maxReceiveCount: wholeText(environment, 'SQS_ONCE_MAX_RECEIVE_COUNT', 1, 1_000),
    },
  };
}

function urlOf(given: Options, name: string): string | undefined {
  const value = given[name];
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || !URL.canParse(value)) {
    throw new ConfigurationError(`${name} is ${shown(value)}; give the queue's URL`);
  }
  return value;
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

export function schemaOf(given: Options): void {
  const schema = given.schema as { '~standard'?: { validate?: unknown } } | undefined;
  if (schema !== undefined && typeof schema?.['~standard']?.validate !== 'function') {
    throw new ConfigurationError(
      `schema is ${shown(schema)}; give a Standard Schema: zod 4, valibot or arktype`,
    );
  }
}

export function shown(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'an array' : 'an object';
  return JSON.stringify(value) ?? String(value);
}
