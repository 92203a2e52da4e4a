import type { SQSClient } from '@aws-sdk/client-sqs';
import type { Ambient } from './ambient.ts';

type Sqs = Pick<SQSClient, 'send'>;

interface SendOptions {
  readonly abortSignal?: AbortSignal;
}

type Send = (command: unknown, options?: SendOptions) => Promise<unknown>;

/**
 * The same client, with every call given up after `patienceMillis` or when its signal says so, even when the
 * client hangs: outside Lambda no deadline ends an invocation, and the SDK waits for a silent socket for ever.
 */
export function patientSqs(sqs: Sqs, ambient: Ambient, patienceMillis: number): Sqs {
  const client: { send: Send } = sqs as { send: Send };

  async function send(command: unknown, options: SendOptions = {}): Promise<unknown> {
    const controller = new AbortController();
    const { promise: givenUp, reject } = Promise.withResolvers<never>();
    const giveUp = (reason: unknown) => {
      reject(reason);
      controller.abort(reason);
    };
    const { abortSignal } = options;
    const onAbort = () => giveUp(abortSignal?.reason);
    if (abortSignal?.aborted) onAbort();
    abortSignal?.addEventListener('abort', onAbort, { once: true });
    const cancel = ambient.after(patienceMillis, () =>
      giveUp(new Error(`SQS did not answer within ${patienceMillis} ms`)),
    );
    try {
      const sent = async () => client.send(command, { ...options, abortSignal: controller.signal });
      return await Promise.race([givenUp, sent()]);
    } finally {
      cancel();
      abortSignal?.removeEventListener('abort', onAbort);
    }
  }
  return { send: send as SQSClient['send'] };
}
