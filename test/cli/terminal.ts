// `sqs-once local` as a person has it in a terminal: what it prints is all that is known of it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { SQSClient } from '@aws-sdk/client-sqs';

export interface Terminal {
  /** What it says another terminal should export. */
  readonly env: Readonly<Record<string, string>>;
  readonly queueUrl: string;
  readonly deadLetterQueueUrl: string;
  readonly tableName: string;
  readonly sqs: SQSClient;
  /** Everything printed so far, on either stream. */
  readonly lines: readonly string[];
  /** Waits until so many lines fit, past or future ones; answers them. */
  shown(text: string | RegExp, times?: number): Promise<readonly string[]>;
  type(line: string): void;
  /** Ctrl-C; answers the exit code. */
  stop(): Promise<number | null>;
}

export interface Launch {
  readonly folder: string;
  /** The command line's program. */
  readonly main: string;
  readonly args: readonly string[];
}

/** Long: it is the time after which a test gives up, not one that it waits. */
const patienceMillis = 90_000;

/** Starts it and waits until it is ready for messages. */
export async function openTerminal({ folder, main, args }: Launch): Promise<Terminal> {
  const program = spawn(process.execPath, [main, 'local', ...args], {
    cwd: folder,
    env: { ...process.env, NO_COLOR: '1' },
  });
  const closed = once(program, 'close');
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  for (const input of [program.stdout, program.stderr]) {
    createInterface({ input }).on('line', (line) => {
      lines.push(line);
      for (const look of waiting) look();
    });
  }
  const shown = (text: string | RegExp, times = 1) =>
    new Promise<readonly string[]>((resolve, reject) => {
      const giveUp = (why: string) => reject(new Error(`${why}: ${text}\n${lines.join('\n')}`));
      const late = setTimeout(() => giveUp('never shown'), patienceMillis);
      const look = () => {
        const found = lines.filter((line) =>
          typeof text === 'string' ? line.includes(text) : text.test(line),
        );
        if (found.length < times) return;
        clearTimeout(late);
        waiting.delete(look);
        resolve(found);
      };
      void closed.then(() => giveUp('it ended before it showed'));
      waiting.add(look);
      look();
    });
  await shown('Ctrl-C ends everything.');
  const told = (label: string) =>
    lines
      .find((line) => line.startsWith(label))
      ?.split(/\s+/)
      .at(-1) ?? '';
  const env = exported(lines);
  const sqs = clientOf(env);
  return {
    env,
    queueUrl: told('queue  '),
    deadLetterQueueUrl: told('dead-letter queue'),
    tableName: told('claim table'),
    sqs,
    lines,
    shown,
    type: (line) => void program.stdin.write(`${line}\n`),
    async stop() {
      sqs.destroy();
      program.kill('SIGINT');
      const [code] = (await closed) as [number | null];
      return code;
    },
  };
}

function exported(lines: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    lines.flatMap((line) => {
      const [, name, value] = /^ {2}export (\w+)=(.*)$/.exec(line) ?? [];
      return name === undefined || value === undefined ? [] : [[name, value]];
    }),
  );
}

function clientOf(env: Readonly<Record<string, string>>): SQSClient {
  const { AWS_ENDPOINT_URL_SQS: endpoint = '', AWS_REGION: region = '' } = env;
  const { AWS_ACCESS_KEY_ID: accessKeyId = '', AWS_SECRET_ACCESS_KEY: secretAccessKey = '' } = env;
  return new SQSClient({ endpoint, region, credentials: { accessKeyId, secretAccessKey } });
}
