import {
  GetQueueAttributesCommand,
  type GetQueueAttributesCommandOutput,
  GetQueueUrlCommand,
  type GetQueueUrlCommandOutput,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { warnOnce } from '../observe/warn-once.ts';
import type { QueueNames } from '../settings.ts';

/** What is known of a record's queue. Looked up once per queue and process, and only when it is needed. */
export interface QueueFacts {
  url(): Promise<string | undefined>;
  deadLetterQueueUrl(): Promise<string | undefined>;
  /** Receives after which SQS moves the message away by itself. */
  maxReceiveCount(): Promise<number | undefined>;
}

/** A lookup that takes longer is given up: a failed message waits for it. */
const patienceMillis = 2_000;

interface RedrivePolicy {
  readonly deadLetterTargetArn?: string;
  readonly maxReceiveCount?: number | string;
}

/** Finds queues by ARN: options first, then the environment where it names this queue, then SQS itself. */
export function createQueues(
  sqs: () => Pick<SQSClient, 'send'>,
  names: QueueNames,
): (queueArn: string) => QueueFacts {
  const known = new Map<string, QueueFacts>();
  return (queueArn) => {
    let facts = known.get(queueArn);
    if (facts === undefined) {
      facts = factsOf(queueArn, sqs, names);
      known.set(queueArn, facts);
    }
    return facts;
  };
}

function factsOf(queueArn: string, sqs: () => Pick<SQSClient, 'send'>, names: QueueNames): QueueFacts {
  const environment = environmentOf(queueArn, names);
  const url = onceAnswered(
    async () => names.queueUrl ?? environment.queueUrl ?? (await lookUpUrl(sqs, queueArn)),
  );
  const policy = onceAnswered(() => lookUpPolicy(sqs, url));
  return {
    url,
    maxReceiveCount: async () => environment.maxReceiveCount ?? receivesOf(await policy()),
    deadLetterQueueUrl: onceAnswered(async () => {
      const given = names.deadLetterQueueUrl ?? environment.deadLetterQueueUrl;
      if (given !== undefined) return given;
      const target = (await policy())?.deadLetterTargetArn;
      return target === undefined ? undefined : lookUpUrl(sqs, target);
    }),
  };
}

/** A function may have two queues, so the environment counts only for the one it names. */
function environmentOf(queueArn: string, { environment }: QueueNames): Partial<QueueNames['environment']> {
  const { queueUrl } = environment;
  return queueUrl !== undefined && namesQueue(queueUrl, queueArn) ? environment : {};
}

function namesQueue(queueUrl: string, queueArn: string): boolean {
  const [account, name] = queueArn.split(':').slice(-2);
  const path = URL.canParse(queueUrl) ? new URL(queueUrl).pathname.split('/').filter(Boolean) : [];
  return path.at(-1) === name && (path.length < 2 || path.at(-2) === account);
}

async function lookUpUrl(sqs: () => Pick<SQSClient, 'send'>, arn: string): Promise<string | undefined> {
  const [account, name] = arn.split(':').slice(-2);
  return asked('GetQueueUrl', async () => {
    const answer: GetQueueUrlCommandOutput = await sqs().send(
      new GetQueueUrlCommand({ QueueName: name, QueueOwnerAWSAccountId: account }),
      { abortSignal: AbortSignal.timeout(patienceMillis) },
    );
    return answer.QueueUrl;
  });
}

async function lookUpPolicy(
  sqs: () => Pick<SQSClient, 'send'>,
  url: () => Promise<string | undefined>,
): Promise<RedrivePolicy | undefined> {
  const QueueUrl = await url();
  if (QueueUrl === undefined) return undefined;
  return asked('GetQueueAttributes', async () => {
    const answer: GetQueueAttributesCommandOutput = await sqs().send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['RedrivePolicy'] }),
      { abortSignal: AbortSignal.timeout(patienceMillis) },
    );
    const text = answer.Attributes?.RedrivePolicy;
    return text === undefined ? {} : (JSON.parse(text) as RedrivePolicy);
  });
}

function receivesOf(policy: RedrivePolicy | undefined): number | undefined {
  const receives = Number(policy?.maxReceiveCount);
  return Number.isInteger(receives) && receives > 0 ? receives : undefined;
}

/** Without an answer the toolkit goes on with what it knows; a person is told once. */
async function asked<Answer>(action: string, ask: () => Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await ask();
  } catch (error) {
    const name = error instanceof Error ? error.name : 'an error';
    warnOnce(
      `queues:${action}`,
      `sqs:${action} failed with ${name}; give queueUrl and deadLetterQueueUrl, or the right to look them up`,
    );
    return undefined;
  }
}

/** Remembers an answer, but not the lack of one. */
function onceAnswered<Answer>(ask: () => Promise<Answer | undefined>): () => Promise<Answer | undefined> {
  let pending: Promise<Answer | undefined> | undefined;
  return async () => {
    pending ??= ask();
    const answer = await pending;
    if (answer === undefined) pending = undefined;
    return answer;
  };
}
