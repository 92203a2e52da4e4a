import type { Mischief } from '../../../lib/local/chaos/plan.ts';
import type { CrashPointName } from '../../../lib/local/chaos/points.ts';
import { fraction } from '../../../lib/local/draw.ts';
import { type Hop, hops, messagesPerOrder } from './orders.ts';

/** The rest of the way is there for what was disturbed to come to its end. */
const disturbedShare = 0.7;

/** Of the kills. They are aimed, the others hit an invocation wherever it is. */
const aimedShare = 0.25;

/** Where a chain could break or fork: the outcome stands, and some follow-ups are not out or not known to be. */
const points: Readonly<Record<Hop, readonly CrashPointName[]>> = {
  orders: ['settle-landed', 'sending-follow-ups'],
  parcels: ['settle-landed', 'sending-follow-ups'],
  labels: ['settle-landed'],
};

/** The kills of one hop; the hops take turns. */
export function drawKills(plan: { messages: number; kills: number; seed: number }, hop: Hop): Mischief[] {
  const { messages, kills, seed } = plan;
  const arriving = messages * messagesPerOrder[hop];
  return Array.from({ length: kills }, (_, index) => index)
    .filter((index) => hops[index % hops.length] === hop)
    .map((index): Mischief => {
      const due = {
        dueAt: Math.floor(fraction(seed, 'due', index) * arriving * disturbedShare),
        fraction: fraction(seed, 'moment', index),
      };
      const point = points[hop][Math.floor(fraction(seed, 'point', index) * points[hop].length)];
      const aimed = point !== undefined && fraction(seed, 'aimed', index) < aimedShare;
      return aimed ? { kind: 'crash', point, ...due } : { kind: 'kill', ...due };
    })
    .sort((one, other) => one.dueAt - other.dueAt);
}
