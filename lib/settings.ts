import { type EngineSettings, engineSettings } from './engine-settings.ts';
import { ConfigurationError } from './errors.ts';
import { warnOnce } from './observe/warn-once.ts';
import {
  agreed,
  between,
  type Environment,
  functionOr,
  numberText,
  type Options,
  objectOf,
  oneOf,
  refuseUnknown,
  schemaOf,
  shown,
  whole,
  wholeText,
} from './option-checks.ts';
import type { ConsumerOptions } from './options.ts';
import { defaultRetentionSeconds } from './window.ts';

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
  of = 'idempotentConsumer',
): Settings<Body> {
  const given: Options = objectOf(options, of);
  refuseUnknown(given, consumerOptionNames, of);
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
  const engine = engineSettings(given, environment, defaultRetentionSeconds);
  refuseForgetting(given, environment);
  return {
    ...engine,
    options,
    queues: queueNames(given, environment),
    claim: claim ?? 'first',
    maxAttempts: maxAttempts ?? 5,
    backoff: backoffOf(given.backoff),
    concurrency: whole(given, 'concurrency', 1, 1_000) ?? 50,
    fifoPoison: oneOf(given, 'fifoPoison', ['continue', 'hold']) ?? 'continue',
    abandoned: abandonedOf(given, claim),
    partialResponses: partialResponsesOf(given, environment),
  };
}

/** The deployed number was computed from the real queues: below it, SQS can still deliver what is forgotten. */
function refuseForgetting({ retentionSeconds }: Options, environment: Environment): void {
  const deployed = numberText(environment, 'SQS_ONCE_RETENTION_SECONDS');
  if (typeof retentionSeconds === 'number' && deployed !== undefined && retentionSeconds < deployed) {
    throw new ConfigurationError(
      `retentionSeconds is ${retentionSeconds} in code and ${deployed} in SQS_ONCE_RETENTION_SECONDS, for which SQS can deliver a message; leave it out of the code, or give at least as much`,
    );
  }
}

/** Nothing is claimed before the handler runs, so nobody could tell that an attempt was abandoned. */
function abandonedOf(given: Options, claim: 'first' | 'with-commit' | undefined): 'run' | 'park' {
  const abandoned = oneOf(given, 'abandoned', ['run', 'park']) ?? 'run';
  if (abandoned === 'park' && claim === 'with-commit') {
    throw new ConfigurationError(
      "abandoned is 'park' and claim is 'with-commit', which claims nothing before the handler runs; give claim: 'first', or leave abandoned out",
    );
  }
  return abandoned;
}

const defaultBackoff = { minSeconds: 30, maxSeconds: 900, factor: 3 };

function backoffOf(given: unknown): Settings<unknown>['backoff'] {
  if (given === false) return false;
  if (given === undefined) return defaultBackoff;
  const options = objectOf(given, 'backoff', '{ minSeconds, maxSeconds, factor }, or false');
  refuseUnknown(options, Object.keys(defaultBackoff), 'backoff');
  const minSeconds = between(options, 'backoff', 'minSeconds', 0, 43_200) ?? defaultBackoff.minSeconds;
  const maxSeconds =
    between(options, 'backoff', 'maxSeconds', minSeconds, 43_200) ??
    Math.max(minSeconds, defaultBackoff.maxSeconds);
  return {
    minSeconds,
    maxSeconds,
    factor: between(options, 'backoff', 'factor', 1, 10) ?? defaultBackoff.factor,
  };
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
      queueUrl: urlText(environment, 'SQS_ONCE_QUEUE_URL'),
      deadLetterQueueUrl: urlText(environment, 'SQS_ONCE_DLQ_URL'),
      maxReceiveCount: wholeText(environment, 'SQS_ONCE_MAX_RECEIVE_COUNT', 1, 1_000),
    },
  };
}

/** The same from the environment, where a variable that is empty says nothing. */
function urlText(environment: Environment, name: string): string | undefined {
  return environment[name] === '' ? undefined : urlOf(environment, name);
}

function urlOf(given: Options, name: string): string | undefined {
  const value = given[name];
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || !URL.canParse(value)) {
    throw new ConfigurationError(`${name} is ${shown(value)}; give the queue's URL`);
  }
  return value;
}
