import type { SqsRecord } from '../../arrive/record.ts';
import { skewMillis } from '../../lease.ts';
import { seededDuplicates } from '../duplicates.ts';
import { entryFile } from '../entry-file.ts';
import type { Report } from '../events.ts';
import { type Runner, startRunner } from '../runner.ts';
import type { ChaosOptions } from './options.ts';
import { paymentOptions } from './payment.ts';
import type { World } from './world.ts';

export function startWorkers(options: ChaosOptions, world: World, onEvent: Report): Promise<Runner> {
  const { aws, queues, env } = world;
  const { workers, timeoutSeconds, seed, duplicateShare } = options;
  return startRunner({
    aws,
    queueUrl: queues.queueUrl,
    handler: options.handler ?? builtIn(options),
    workers,
    timeoutSeconds,
    env,
    duplicate: seededDuplicates({ probability: duplicateShare, seed }),
    onEvent,
  });
}

/** Which messages come twice, where a sleeper can be overtaken by the copy. */
export function comesTwiceIn(options: ChaosOptions): ((record: SqsRecord) => boolean) | undefined {
  const { seed, duplicateShare, handler, broken } = options;
  if (handler !== undefined || broken === 'no-claims' || duplicateShare === 0) return undefined;
  const duplicate = seededDuplicates({ probability: duplicateShare, seed });
  return (record) => duplicate(record) !== undefined;
}

function builtIn({ broken, batching }: ChaosOptions): string {
  const sound = batching ? 'chaos/payments-batched' : 'chaos/payments';
  const file = entryFile(broken === undefined ? sound : `chaos/broken/${broken}`);
  return file.replace(/\.\w+$/, '.handler');
}

/** A pause is longer than a lease and the skew, so that another worker may take the message meanwhile. */
export function pauseMillisOf({ handler, timeoutSeconds }: ChaosOptions): readonly [number, number] {
  // A handler that says nothing of its lease has one to the end of its invocation and a second more.
  const leaseMillis = 1_000 * (handler === undefined ? paymentOptions.leaseSeconds : timeoutSeconds + 1);
  // What is visible again still waits for a free worker.
  const least = leaseMillis + skewMillis + 2_500;
  return [least, least + 2_000];
}
