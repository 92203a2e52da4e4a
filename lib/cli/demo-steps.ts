import type { DemoOptions } from '../local/demo/plan.ts';
import { openPlay, type Play, type Verdict } from '../local/demo/play.ts';
import { step } from './step.ts';
import { counted } from './texts.ts';

/** Runs the demo and shows how it gets on. Everything it started has ended when it resolves. */
export async function performDemo(options: DemoOptions): Promise<{ play: Play; verdict: Verdict }> {
  const { messages, workers, kills, poison, withoutClaims } = options;
  // Far more than it takes, so that a run that is stuck ends all the same.
  const signal = AbortSignal.timeout(120_000 + messages * 100);
  const processes = withoutClaims ? workers : 3 * workers;
  const play = await step(`Start DynamoDB, SQS, a payment gateway and ${counted(processes, 'worker')}`, () =>
    openPlay(options),
  );
  const stand = () => standOf(play, options);
  try {
    await step(
      `Deliver ${counted(messages, 'order')}, about a quarter of them twice, and kill ${counted(kills, 'worker')}`,
      () => play.deliver(signal),
      stand,
    );
    if (!withoutClaims) {
      await step('Void payments that are captured already', () => play.deliverLate(signal), stand);
    }
    if (poison > 0) {
      await step(
        `Remove the cause of ${counted(poison, 'refusal')} and redrive what was parked`,
        () => play.bringBack(signal),
        stand,
      );
    }
    const verdict = await step("Compare the gateway's ledger, the tables and the queues", () => play.judge());
    return { play, verdict };
  } finally {
    await play.stop();
  }
}

function standOf(
  { cast: { tallies, charges, kills } }: Play,
  { messages, withoutClaims }: DemoOptions,
): string {
  const { payments, 'payment-events': events, receipts } = tallies;
  const charged = `${charges} charges for ${messages} orders, ${payments.deliveries} deliveries, ${kills} killed`;
  if (withoutClaims) return charged;
  const duplicates = [payments, events, receipts].reduce((sum, tally) => sum + tally.logged('duplicate'), 0);
  return `${charged}, ${duplicates} duplicates answered, ${receipts.logged('completed')} receipts`;
}
