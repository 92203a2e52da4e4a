// `npx sqs-once local` as a person has it in a terminal: what it prints is all that is known of it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';

export interface Terminal {
  readonly env: Readonly<Record<string, string>>;
  readonly queueUrl: string;
  readonly deadLetterQueueUrl: string;
  readonly sqs: SQSClient;
  /** Waits for a line that has this text, past or future. */
  shown(text: string): Promise<void>;
  stop(): Promise<void>;
}

const patienceMillis = 60_000;

export async function openTerminal(folder: string, args: readonly string[]): Promise<Terminal> {
  const program = spawn(process.execPath, ['node_modules/.bin/sqs-once', 'local', ...args], {
    cwd: folder,
    env: { ...process.env, NO_COLOR: '1' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  createInterface({ input: program.stdout }).on('line', (line) => {
    lines.push(line);
    for (const look of waiting) look();
  });
  const shown = (text: string) =>
    new Promise<void>((resolve, reject) => {
      const late = setTimeout(
        () => reject(new Error(`never shown: ${text}\n${lines.join('\n')}`)),
        patienceMillis,
      );
      const look = () => {
        if (!lines.some((line) => line.includes(text))) return;
        clearTimeout(late);
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
    });
  await shown('Ctrl-C ends everything.');
  const env = Object.fromEntries(
    lines.flatMap((line) => {
      const [, name, value] = /^ {2}export (\w+)=(.*)$/.exec(line) ?? [];
      return name === undefined || value === undefined ? [] : [[name, value]];
    }),
  );
  const told = (label: string) =>
    lines
      .find((line) => line.startsWith(label))
      ?.split(/\s+/)
      .at(-1) ?? '';
  const credentials = {
    accessKeyId: env.AWS_ACCESS_KEY_ID ?? '',
    secretAccessKey: env.AWS_SECRET_ACCESS_KEY ?? '',
  };
  const endpoint = env.AWS_ENDPOINT_URL_SQS ?? '';
  const sqs = new SQSClient({ endpoint, region: env.AWS_REGION ?? '', credentials });
  return {
    env: { ...env, SQS_ONCE_TABLE: told('claim table') },
    queueUrl: told('queue  '),
    deadLetterQueueUrl: told('dead-letter queue'),
    sqs,
    shown,
    async stop() {
      sqs.destroy();
      const closed = once(program, 'close');
      program.kill('SIGINT');
      await closed;
    },
  };
}

let sends = 0;

export async function send(
  { sqs, queueUrl }: Terminal,
  body: Readonly<Record<string, string>>,
): Promise<void> {
  sends += 1;
  await sqs.send(
    new SendMessageCommand({
      QueueUrl: queueUrl,
      MessageBody: JSON.stringify(body),
      MessageGroupId: body.customerId ?? '',
      MessageDeduplicationId: `send-${sends}`,
    }),
  );
}

/** A queue's value of the metric an alarm watches, as SQS itself would report it. */
export async function visible({ sqs }: Terminal, QueueUrl: string): Promise<number> {
  const AttributeNames = ['ApproximateNumberOfMessages' as const];
  const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames }));
  return Number(Attributes?.ApproximateNumberOfMessages);
}

/** The URL of a queue the template made; creating it again with its own settings answers the same. */
export async function urlOf({ sqs }: Terminal, QueueName: string): Promise<string> {
  const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName }));
  return QueueUrl;
}
