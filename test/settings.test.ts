/** Options are checked when the module loads: what was given, and what would do. */
import { SQSClient } from '@aws-sdk/client-sqs';
import { describe, expect, it, vi } from 'vitest';
import { consumeOnce, idempotentConsumer } from '../lib/consumer.ts';
import { consumerSettings } from '../lib/settings.ts';
import { dynamoClaims } from '../lib/store/dynamo.ts';
import { memoryClaims } from '../lib/store/memory.ts';

const base = { scope: 'orders', claims: memoryClaims(), partialResponses: true };
const settings = (options: object, environment: Record<string, string> = {}) =>
  consumerSettings({ ...base, ...options } as never, environment);

const refusals: readonly (readonly [object, string])[] = [
  [{ scopes: 'x' }, 'no option "scopes"; it has scope, claims'],
  [{ concurrency: 5n }, 'concurrency is 5; give'],
  [{ abandoned: Symbol('s') }, 'abandoned is Symbol(s)'],
  [{ scope: '' }, 'scope is ""'],
  [{ scope: ' ' }, 'scope is " "'],
  [{ scope: undefined }, 'scope is of type undefined'],
  [{ scope: 'a\u001fb' }, 'without control characters'],
  [{ claims: {} }, 'give dynamoClaims({ client, tableName }) or memoryClaims()'],
  [{ claims: null }, 'claims is null'],
  [{ sqs: {} }, 'sqs is an object; give an SQSClient'],
  [{ queueUrl: 'my-queue' }, 'queueUrl is "my-queue"; give the queue\'s URL'],
  [{ deadLetterQueueUrl: 1 }, 'deadLetterQueueUrl is 1'],
  [{ key: 'orderId' }, 'key is "orderId"; give a function'],
  [{ schema: {} }, 'schema is an object; give a Standard Schema'],
  [{ parse: true }, 'parse is true; give a function'],
  [{ fingerprint: true }, 'fingerprint is true; give a function'],
  [{ onDuplicate: {} }, 'onDuplicate is an object; give a function'],
  [{ claim: 'last' }, "claim is \"last\"; give 'first' or 'with-commit'"],
  [{ abandoned: 'park', claim: 'with-commit' }, "abandoned is 'park' and claim is 'with-commit'"],
  [{ leaseSeconds: 1 }, 'leaseSeconds is 1; give at least 3'],
  [{ leaseSeconds: Number.NaN }, 'leaseSeconds is NaN'],
  [{ leaseSeconds: '30' }, 'leaseSeconds is "30"'],
  [{ leaseSeconds: 50_000 }, 'at most 43,200'],
  [{ retentionSeconds: 0 }, 'retentionSeconds is 0'],
  [{ retentionSeconds: 1.5 }, 'retentionSeconds is 1.5; give a whole number'],
  [{ retentionSeconds: 60, leaseSeconds: 60 }, 'retentionSeconds is 60 and leaseSeconds 60'],
  [{ maxAttempts: 0 }, 'maxAttempts is 0; give a whole number from 1 to 1000'],
  [{ backoff: true }, 'backoff was given true; give { minSeconds, maxSeconds, factor }, or false'],
  [{ backoff: { minSeconds: -1 } }, 'backoff.minSeconds is -1'],
  [{ backoff: { minSeconds: 60, maxSeconds: 30 } }, 'backoff.maxSeconds is 30; give a number from 60'],
  [{ backoff: { factor: 0.5 } }, 'backoff.factor is 0.5'],
  [{ backoff: { min: 1 } }, 'backoff has no option "min"'],
  [{ concurrency: 0 }, 'concurrency is 0'],
  [{ concurrency: Number.POSITIVE_INFINITY }, 'concurrency is Infinity'],
  [{ fifoPoison: 'stop' }, "fifoPoison is \"stop\"; give 'continue' or 'hold'"],
  [{ abandoned: 'drop' }, "abandoned is \"drop\"; give 'run' or 'park'"],
  [{ partialResponses: 'true' }, 'partialResponses is "true"; give true or false'],
  [{ observers: () => {} }, 'observers is a function; give an array of functions'],
  [{ observers: [1] }, 'observers is an array'],
];

describe('an impossible option is refused with what was given and what would do', () => {
  it.each(refusals)('%o', (options, sentence) => {
    expect(() => settings(options)).toThrow(
      expect.objectContaining({ name: 'ConfigurationError', message: expect.stringContaining(sentence) }),
    );
  });

  it('by both faces, at module load', () => {
    expect(() => idempotentConsumer({ ...base, scope: '' } as never)).toThrow('scope is ""');
    expect(() => consumeOnce({ ...base, scope: '' } as never, () => undefined)).toThrow('scope is ""');
    expect(() => idempotentConsumer(undefined as never)).toThrow('idempotentConsumer was given undefined');
    expect(() => consumeOnce([] as never, () => undefined)).toThrow('consumeOnce was given an array');
    expect(() => consumeOnce(base as never, undefined as never)).toThrow(
      'consumeOnce was given undefined as its handler',
    );
    expect(() => idempotentConsumer(base as never).eachMessage('x' as never)).toThrow(
      'eachMessage was given string as its handler',
    );
  });

  it('and never with a secret or a body in the sentence', () => {
    expect(() => settings({ sqs: { secretAccessKey: 'hush' } })).toThrow(/^(?!.*hush)/);
  });
});

const disagreements: readonly (readonly [object, Record<string, string>, string])[] = [
  [
    { maxAttempts: 3 },
    { SQS_ONCE_MAX_ATTEMPTS: '5' },
    'maxAttempts is 3 in code and 5 in SQS_ONCE_MAX_ATTEMPTS',
  ],
  [
    { leaseSeconds: 30 },
    { SQS_ONCE_LEASE_SECONDS: '60' },
    'leaseSeconds is 30 in code and 60 in SQS_ONCE_LEASE_SECONDS',
  ],
  [
    { claim: 'first' },
    { SQS_ONCE_CLAIM: 'with-commit' },
    'claim is "first" in code and "with-commit" in SQS_ONCE_CLAIM',
  ],
];

describe('the environment the construct sets', () => {
  it.each(disagreements)('must not disagree with the code: %o, %o', (options, environment, sentence) => {
    expect(() => settings(options, environment)).toThrow(sentence);
    expect(() => settings(options, environment)).toThrow(
      'leave it out of the code, or deploy the same value',
    );
  });

  it('gives what the code leaves out, and agrees with the same value', () => {
    const environment = {
      SQS_ONCE_MAX_ATTEMPTS: '7',
      SQS_ONCE_LEASE_SECONDS: '45',
      SQS_ONCE_CLAIM: 'with-commit',
      SQS_ONCE_RETENTION_SECONDS: '1000000',
      SQS_ONCE_PARTIAL_RESPONSES: 'false',
      SQS_ONCE_QUEUE_URL: 'https://sqs.us-east-1.amazonaws.com/1/q',
      SQS_ONCE_DLQ_URL: 'https://sqs.us-east-1.amazonaws.com/1/d',
    };
    for (const code of [{}, { maxAttempts: 7, leaseSeconds: 45, claim: 'with-commit' }]) {
      const found = consumerSettings({ scope: 'orders', claims: base.claims, ...code } as never, environment);
      expect(found).toMatchObject({
        maxAttempts: 7,
        leaseMillis: 45_000,
        claim: 'with-commit',
        partialResponses: false,
      });
      expect(found.retentionMillis(false)).toBe(1_000_000_000);
      expect(found.queues.environment).toMatchObject({ queueUrl: environment.SQS_ONCE_QUEUE_URL });
    }
  });

  it.each(['SQS_ONCE_QUEUE_URL', 'SQS_ONCE_DLQ_URL'])('%s is a URL, or says nothing', (name) => {
    expect(() => settings({}, { [name]: 'orders' })).toThrow(`${name} is "orders"; give the queue's URL`);
    const { queueUrl, deadLetterQueueUrl } = settings({}, { [name]: '' }).queues.environment;
    expect([queueUrl, deadLetterQueueUrl]).toEqual([undefined, undefined]);
  });

  it('may be outlived by the code, but not forgotten earlier', () => {
    const environment = { SQS_ONCE_RETENTION_SECONDS: '1000' } as never;
    expect(settings({ retentionSeconds: 1_001 }, environment).retentionMillis(false)).toBe(1_001_000);
    expect(() => settings({ retentionSeconds: 999 }, environment)).toThrow(
      'retentionSeconds is 999 in code and 1000 in SQS_ONCE_RETENTION_SECONDS',
    );
  });

  it.each([
    [{ SQS_ONCE_MAX_ATTEMPTS: 'many' }, 'SQS_ONCE_MAX_ATTEMPTS is "many"; give a number'],
    [{ SQS_ONCE_LEASE_SECONDS: '1m' }, 'SQS_ONCE_LEASE_SECONDS is "1m"; give a number'],
    [{ SQS_ONCE_LEASE_SECONDS: '1' }, 'SQS_ONCE_LEASE_SECONDS is 1'],
    [{ SQS_ONCE_CLAIM: 'last' }, 'SQS_ONCE_CLAIM is "last"'],
    [{ SQS_ONCE_RETENTION_SECONDS: '-5' }, 'SQS_ONCE_RETENTION_SECONDS is -5'],
  ])('is refused when it is impossible: %o', (environment, sentence) => {
    expect(() => settings({}, environment as never)).toThrow(sentence);
  });
});

describe('what nobody says', () => {
  it('about partial responses is warned of, once per cold start', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    vi.resetModules();
    const fresh = await import('../lib/settings.ts');
    const say = (options: object, environment: Record<string, string> = {}) =>
      fresh.consumerSettings({ scope: 's', claims: base.claims, ...options } as never, environment)
        .partialResponses;
    expect(say({ partialResponses: false })).toBe(false);
    expect(say({}, { SQS_ONCE_PARTIAL_RESPONSES: 'true' })).toBe(true);
    expect(warn).not.toHaveBeenCalled();
    expect(say({})).toBe(true);
    expect(say({})).toBe(true);
    expect(warn).toHaveBeenCalledTimes(1);
    expect(warn.mock.calls[0]?.[0]).toContain('ReportBatchItemFailures');
    warn.mockRestore();
  });

  it('has its default', () => {
    const found = settings({});
    expect(found).toMatchObject({
      claim: 'first',
      maxAttempts: 5,
      leaseMillis: undefined,
      concurrency: 50,
      fifoPoison: 'continue',
      abandoned: 'run',
      backoff: { minSeconds: 30, maxSeconds: 900, factor: 3 },
    });
    expect(found.retentionMillis(false)).toBe(29 * 86_400_000);
    expect(found.retentionMillis(true)).toBe(57 * 86_400_000);
  });

  it('a backoff without a number of its own keeps the others possible', () => {
    expect(settings({ backoff: { minSeconds: 2_000 } }).backoff).toEqual({
      minSeconds: 2_000,
      maxSeconds: 2_000,
      factor: 3,
    });
    expect(settings({ backoff: false }).backoff).toBe(false);
  });
});

describe('the queues a consumer talks to', () => {
  const sqsOf = (options: object) =>
    consumerSettings({ scope: 'tea', partialResponses: true, ...options }).sqs();

  it('are those beside its claims in memory, unless it is given others', () => {
    const claims = memoryClaims();
    const own = { send: async () => ({}) };
    expect(sqsOf({ claims })).toBe(claims.sqs);
    expect(sqsOf({ claims, sqs: own })).toBe(own);
    expect(sqsOf({ claims: dynamoClaims({ tableName: 'claims' }) })).toBeInstanceOf(SQSClient);
  });
});
