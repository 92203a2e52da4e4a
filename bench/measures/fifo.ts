import { stubbedClient } from '../clients.ts';
import { freshEvent } from '../events.ts';
import { inTurns, type Measure, ratioAtMost, rowOf } from '../measure.ts';
import { ours } from '../sides/ours.ts';
import { fifoPeer } from '../sides/peer.ts';
import { receiptWork } from '../sides/side.ts';
import { compared, namesOf, opened } from '../sides/sides.ts';

const roundTripMillis = 5;
const groups = 10;
const rounds = 30;

/** A batch of ten from a FIFO queue, each message of a group of its own, with a table five milliseconds away. */
export const fifo: Measure = {
  name: 'fifo',
  async run() {
    const sides = [ours, fifoPeer];
    const handlerOf = opened(sides, (side) => side.open(stubbedClient(roundTripMillis), receiptWork));
    const sample = async (name: string) => {
      const event = freshEvent(groups, groups);
      const startedAt = performance.now();
      await handlerOf(name)(event);
      return performance.now() - startedAt;
    };
    await inTurns(namesOf(sides), 5, sample);
    const samples = await inTurns(namesOf(sides), rounds, sample);
    return [
      rowOf('batch of 10 FIFO, 10 groups, 5 ms round trip', 'ms', samples, compared, ratioAtMost(0.15)),
    ];
  },
};
