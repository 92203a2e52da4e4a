import { type Cast, startCast } from './cast.ts';
import { divergences } from './divergences.ts';
import { type Evidence, gatherEvidence, type WayBack } from './evidence.ts';
import { type DemoOptions, drawPlan, type Order, type Plan } from './plan.ts';
import { createRefunds } from './refunds.ts';
import { openStage } from './stage.ts';
import { bringBack } from './way-back.ts';

/** The demo while it runs. */
export interface Play {
  readonly plan: Plan;
  readonly cast: Cast;
  /** Sends the orders, and events that come early; resolves when nothing is left to do. */
  deliver(signal: AbortSignal): Promise<void>;
  /** Sends the events that come too late. */
  deliverLate(signal: AbortSignal): Promise<void>;
  /** Does away with the cause of the poison and redrives what was parked. */
  bringBack(signal: AbortSignal): Promise<void>;
  judge(): Promise<Verdict>;
  /** Ends every process that was started. */
  stop(): Promise<void>;
}

/** What the play came to. */
export interface Verdict {
  readonly evidence: Evidence;
  readonly divergences: readonly string[];
}

/** Starts everything; nothing is sent yet. */
export async function openPlay(options: DemoOptions): Promise<Play> {
  const plan = drawPlan(options);
  const withClaims = !options.withoutClaims;
  let wayBack: WayBack = { parked: 0, redriven: 0 };
  let charged: (orderId: string) => void = () => {};
  const stage = await openStage((orderId) => charged(orderId));
  const cast = await startCast(stage, plan, options).catch(async (error) => {
    await stage.stop();
    throw error;
  });
  const tell = (type: string, orders: readonly Order[]) =>
    stage.send(
      'payment-events',
      orders.map((order) => ({ type, ...order })),
    );
  const refunds = createRefunds(plan, (orders) => tell('refunded', orders));
  charged = (orderId) => {
    cast.charged(orderId);
    if (withClaims) refunds.charged(orderId);
  };
  return {
    plan,
    cast,
    async deliver(signal) {
      if (withClaims) await tell('authorised', plan.orders);
      await stage.send('payments', plan.orders);
      await runDry(cast, signal);
      if (!withClaims) return;
      await refunds.tellRest();
      await runDry(cast, signal);
    },
    async deliverLate(signal) {
      const late = plan.orders.filter(({ orderId }) => plan.voidedLate.has(orderId));
      await tell('voided', late);
      await runDry(cast, signal);
    },
    async bringBack(signal) {
      wayBack = await bringBack(stage);
      await runDry(cast, signal);
    },
    async judge() {
      const evidence = await gatherEvidence(stage, wayBack);
      return { evidence, divergences: divergences(plan, evidence, withClaims) };
    },
    async stop() {
      await cast.stop();
      await stage.stop();
    },
  };
}

/** A message is acknowledged after its follow-ups are sent, so a chain runs dry from its beginning. */
async function runDry({ runners }: Cast, signal: AbortSignal): Promise<void> {
  for (const [name, runner] of runners) {
    await runner.drained(signal).catch((cause) => {
      throw new Error(`${name} did not run dry in time`, { cause });
    });
  }
}
