/** One call as it was made. */
export interface SqsCall {
  readonly name: string;
  // biome-ignore lint/suspicious/noExplicitAny: each command has an input of its own, and tests look into all of them
  readonly input: any;
}

type Answer = (input: SqsCall['input'], call: number) => unknown;

/** SQS as far as the engine talks to it. */
export interface FakeSqs {
  // biome-ignore lint/suspicious/noExplicitAny: takes any command and answers with what that command answers
  send(command: any, options?: { abortSignal?: AbortSignal }): Promise<any>;
  readonly calls: readonly SqsCall[];
  /** The inputs of one kind of call, such as `SendMessage`. */
  inputsOf(name: string): readonly SqsCall['input'][];
  /** Seconds until visible, by receipt handle, as set last. */
  readonly visibility: ReadonlyMap<string, number>;
  /** Answers a kind of call otherwise; `call` counts the calls of that kind from 1. */
  answer(name: string, answer: Answer): void;
}

export interface FakeSqsOptions {
  /** Receives after which SQS moves a message to the dead-letter queue. @default 5 */
  readonly maxReceiveCount?: number;
  /** @default true */
  readonly deadLetterQueue?: boolean;
}

export const deadLetterQueueUrl = 'https://sqs.us-east-1.amazonaws.com/000000000000/test-dlq';

export function fakeSqs(options: FakeSqsOptions = {}): FakeSqs {
  const calls: SqsCall[] = [];
  const visibility = new Map<string, number>();
  const answers = new Map<string, Answer>(Object.entries(usual(options, visibility)));
  return {
    calls,
    visibility,
    inputsOf: (name) => calls.filter((call) => call.name === name).map(({ input }) => input),
    answer: (name, answer) => void answers.set(name, answer),
    async send(command, { abortSignal } = {}) {
      const name = command.constructor.name.replace(/Command$/, '');
      if (abortSignal?.aborted) throw aborted();
      calls.push({ name, input: command.input });
      const answer = answers.get(name);
      if (answer === undefined) throw new Error(`the fake SQS knows no ${name}`);
      const count = calls.filter((call) => call.name === name).length;
      const { promise: stopped, reject } = Promise.withResolvers<never>();
      const stop = () => reject(aborted());
      abortSignal?.addEventListener('abort', stop);
      try {
        return await Promise.race([answer(command.input, count), stopped]);
      } finally {
        abortSignal?.removeEventListener('abort', stop);
      }
    },
  };
}

function usual(
  { maxReceiveCount = 5, deadLetterQueue = true }: FakeSqsOptions,
  visibility: Map<string, number>,
): Record<string, Answer> {
  return {
    GetQueueUrl: ({ QueueName }) => ({
      QueueUrl: `https://sqs.us-east-1.amazonaws.com/000000000000/${QueueName}`,
    }),
    GetQueueAttributes: () => ({
      Attributes: deadLetterQueue
        ? {
            RedrivePolicy: JSON.stringify({
              deadLetterTargetArn: 'arn:aws:sqs:us-east-1:000000000000:test-dlq',
              maxReceiveCount,
            }),
          }
        : {},
    }),
    ChangeMessageVisibilityBatch: ({ Entries }) => {
      for (const { ReceiptHandle, VisibilityTimeout } of Entries) {
        if (!Number.isInteger(VisibilityTimeout)) throw new Error(`VisibilityTimeout ${VisibilityTimeout}`);
        visibility.set(ReceiptHandle, VisibilityTimeout);
      }
      return { Successful: Entries.map(({ Id }: { Id: string }) => ({ Id })), Failed: [] };
    },
    SendMessage: (_input, call) => ({ MessageId: `sent-${call}` }),
    SendMessageBatch: ({ Entries }) => ({
      Successful: Entries.map(({ Id }: { Id: string }) => ({ Id, MessageId: `sent-${Id}` })),
      Failed: [],
    }),
  };
}

function aborted(): Error {
  return Object.assign(new Error('Request aborted'), { name: 'AbortError' });
}
