import { events, machine, type PaymentEvent } from '../../support/payment-events.ts';
import type { Nature } from '../facts.ts';
import type { World } from './world.ts';

/** Sends a world's messages to the first of its queues, some keys more than once. */
export function sendOrders(world: World): void {
  const { plan, dice, agenda } = world;
  const [orders] = world.services;
  const numbers = Array.from({ length: plan.messages }, (_, place) =>
    plan.keys === 'business' ? dice.whole(1, plan.works) : place + 1,
  );
  for (const [place, number] of numbers.entries()) {
    const work = `w${number}`;
    const event = eventOf(number);
    const nature = plan.transitions ? natureOfEvent(event, numbers.map(eventOf)) : drawnNature(world);
    if (!world.natures.has(work)) world.natures.set(work, nature);
    const payload = plan.keys === 'business' && dice.percent(plan.otherPayloads) ? 'other' : 'usual';
    const isGarbled = dice.percent(plan.natures.unparseable) && !plan.transitions;
    const inMillis = plan.sendsLate ? dice.fraction() * plan.safetySeconds * 1_000 : dice.spread(1, 60_000);
    agenda.after(inMillis, () => {
      orders?.queue.send({
        body: isGarbled ? 'not JSON' : JSON.stringify({ work, payload, event }),
        attributes: {},
        ...(plan.fifo ? { groupId: `g${number % plan.groups}`, deduplicationId: `first ${place}` } : {}),
      });
    });
  }
}

function eventOf(number: number): PaymentEvent {
  return events[(number - 1) % events.length] ?? 'authorised';
}

/** An event can only be sure to be done, or to be late, when all that must come before it is sent. */
function natureOfEvent(event: PaymentEvent, sent: readonly PaymentEvent[]): Nature {
  const [before] = machine.predecessors(event);
  if (before === undefined) return 'good';
  return sent.includes(before) ? natureOfEvent(before, sent) : 'doubtful';
}

function drawnNature({ plan, dice }: World): Nature {
  const { poison, killer, failing } = plan.natures;
  if (dice.percent(poison)) return 'poison';
  if (dice.percent(killer)) return 'killer';
  return dice.percent(failing) ? 'failing' : 'good';
}
