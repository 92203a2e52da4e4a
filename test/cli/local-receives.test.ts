// A queue of `sqs-once local` is one the toolkit itself has nothing against.
import { expect, test } from 'vitest';
import { defaults, leastMaxReceiveCount } from '../../infra/checks/sums.ts';
import { localCommand } from '../../lib/cli/local.ts';

test('a message has as many deliveries as the construct gives, enough for all attempts of a usual consumer', () => {
  const deliveries = localCommand().getOptionValue('dlq');
  expect(deliveries).toBe(50);
  for (const fifo of [false, true]) {
    expect(deliveries).toBeGreaterThanOrEqual(leastMaxReceiveCount({ fifo, ...defaults }));
  }
});
