import { spawn } from 'node:child_process';
import type { SqsEvent, SqsRecord } from '../../../lib/arrive/record.ts';

interface Context {
  readonly awsRequestId: string;
  getRemainingTimeInMillis(): number;
}

/** Does what each message's body says, and tells of it. With `-once`, only on the first delivery. */
export async function handler(event: SqsEvent, context: Context): Promise<unknown> {
  const failures: { itemIdentifier?: string; wrong?: string }[] = [];
  for (const record of event.Records) {
    process.send?.({
      type: 'sqs-once',
      seen: record.body,
      record,
      context: { ...context, remainingMillis: context.getRemainingTimeInMillis() },
      batch: event.Records.length,
      env: { endpoint: process.env.AWS_ENDPOINT_URL_SQS, name: process.env.AWS_LAMBDA_FUNCTION_NAME },
    });
    const order = orderOf(record);
    if (order === 'fail') failures.push({ itemIdentifier: record.messageId });
    else if (order === 'misname') failures.push({ wrong: record.messageId });
    else if (order === 'nothing') return undefined;
    else if (order === 'cyclic') return cycle();
    else await obey(order, context);
  }
  return { batchItemFailures: failures };
}

function orderOf(record: SqsRecord): string {
  const [, order = '', once] = /^(.*?)(-once)?(:.*)?$/.exec(record.body) ?? [];
  return once && record.attributes.ApproximateReceiveCount !== '1' ? 'succeed' : order;
}

async function obey(order: string, context: Context): Promise<void> {
  if (order === 'throw') throw new TypeError('told to throw');
  if (order === 'exit') process.exit(7);
  if (order === 'crash') setImmediate(() => Promise.reject(new Error('nobody waits for this')));
  if (order === 'print') console.log('first line\nsecond line');
  if (order === 'breed') {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1_000)'], { stdio: 'ignore' });
    process.send?.({ type: 'sqs-once', bred: child.pid });
  }
  if (order === 'spin') for (;;);
  if (order === 'hang' || order === 'crash') await new Promise((resolve) => setTimeout(resolve, 60_000));
  if (order === 'watch') {
    await new Promise((resolve) => setTimeout(resolve, 40));
    process.send?.({ type: 'sqs-once', laterRemainingMillis: context.getRemainingTimeInMillis() });
  }
  if (order === 'rest') await new Promise((resolve) => setTimeout(resolve, 150));
}

function cycle(): object {
  const ring: { self?: object } = {};
  ring.self = ring;
  return ring;
}

export const notAFunction = 1;
