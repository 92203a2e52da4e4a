import type { Runner } from '../runner.ts';
import { type Cast, startCast } from './cast.ts';
import { divergences } from './divergences.ts';
import { type Evidence, gatherEvidence, type WayBack } from './evidence.ts';
import { type DemoOptions, drawPlan, type Plan } from './plan.ts';
import { type ConsumerName, openStage } from './stage.ts';
import { bringBack } from './way-back.ts';

/** The demo while it runs. */
export interface Play {
  readonly plan: Plan;
  readonly tallies: Cast['tallies'];
  /** Workers killed so far. */
  readonly kills: number;
  /** Charges the gateway took so far. */
  readonly charges: number;
  /** Sends the orders, and the events that come early; resolves when nothing is left to do. */
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
  let charges = 0;
  let wayBack: WayBack = { parked: 0, redriven: 0 };
  let cast: Cast | undefined;
  const stage = await openStage((orderId) => {
    charges += 1;
    cast?.charged(orderId);
  });
  cast = await startCast(stage, plan, options).catch(async (error) => {
    await stage.stop();
    throw error;
  });
  const { tallies, runners } = cast;
  return {
    plan,
    tallies,
    get kills() {
      return cast.kills;
    },
    get charges() {
      return charges;
    },
    async deliver(signal) {
      if (withClaims) await stage.send('payment-events', earlyEvents(plan));
      await stage.send('payments', plan.orders);
      await runDry(runners, signal);
    },
    async deliverLate(signal) {
      await stage.send('payment-events', eventsOf(plan, 'voided', plan.voidedLate));
      await runDry(runners, signal);
    },
    async bringBack(signal) {
      wayBack = await bringBack(stage);
      await runDry(runners, signal);
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
async function runDry(runners: ReadonlyMap<ConsumerName, Runner>, signal: AbortSignal): Promise<void> {
  for (const [name, runner] of runners) {
    await runner.drained(signal).catch((cause) => {
      throw new Error(`${name} did not run dry in time`, { cause });
    });
  }
}

/** What others tell of the payments; that they are captured is told by the payment consumer itself. */
function earlyEvents(plan: Plan): object[] {
  return [...eventsOf(plan, 'authorised'), ...eventsOf(plan, 'refunded', plan.refunded)];
}

function eventsOf({ orders }: Plan, type: string, ids?: ReadonlySet<string>): object[] {
  return orders.filter(({ orderId }) => ids?.has(orderId) ?? true).map((order) => ({ type, ...order }));
}
