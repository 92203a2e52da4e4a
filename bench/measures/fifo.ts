import { stubbedClient } from '../clients.ts';
import { freshEvent } from '../events.ts';
import { inTurns, type Measure, ratioAtMost, rowOf } from '../measure.ts';
import { ours } from '../sides/ours.ts';
import { fifoPeer } from '../sides/peer.ts';
import { receiptWork } from '../sides/side.ts';
import { compared, namesOf, opened } from '../sides/sides.ts';

const roundTripMillis = 5;
const rounds = 30;

/**
 * A batch of ten from a FIFO queue, with a table five milliseconds away: each message of a group of its own, and all
 * of one group, where order allows nothing beside each other.
 */
export const fifo: Measure = {
  name: 'fifo',
  async run() {
    const sides = [ours, fifoPeer];
    const handlerOf = opened(sides, (side) => side.open(stubbedClient(roundTripMillis), receiptWork));
    const samplesOf = async (groups: number) => {
      const sample = async (name: string) => {
        const event = freshEvent(10, groups);
        const startedAt = performance.now();
        await handlerOf(name)(event);
        return performance.now() - startedAt;
      };
      await inTurns(namesOf(sides), 5, sample);
      return inTurns(namesOf(sides), rounds, sample);
    };
    return [
      rowOf(
        'batch of 10 FIFO, 10 groups, 5 ms round trip',
        'ms',
        await samplesOf(10),
        compared,
        ratioAtMost(0.15),
      ),
      rowOf('… 1 group', 'ms', await samplesOf(1), compared),
    ];
  },
};
