import { expectWithin } from '../expect-within.ts';
import { fraction } from '../local/draw.ts';
import type { ClaimStore } from '../store/port.ts';

/** One order of steps, as the code under test sees it. */
export interface Interleaving {
  /** The store; each of its calls is a step that waits for its turn. */
  readonly claims: ClaimStore;
  /** A step of the test's own, for fakes: `await step()` where a real call would take time. */
  readonly step: () => Promise<void>;
}

/** Options of {@link interleave}. */
export interface InterleaveOptions {
  /** How many orders are tried, 1 to 100,000. @default 100 */
  readonly orders?: number;
  /** Draws all of them; a failure names the one it happened under. @default 1 */
  readonly seed?: number;
  /** Makes the store of each order. */
  readonly claims: () => ClaimStore;
}

type Call = (...args: unknown[]) => Promise<unknown>;

/**
 * Runs deliveries at the same time under many orders of their steps, one order after the other: every call of
 * the store, and every `step()` of the test's own fakes, waits until it is drawn. `world` starts the
 * deliveries and answers once all of them have ended and were looked at; what it throws fails the order.
 *
 * @throws RangeError when no order would be tried
 * @throws Error naming the order and its seed when `world` throws, with that as the cause; also when an order
 * waits for something that is no step
 * @example
 * ```ts
 * await interleave({ claims: () => memoryClaims() }, async ({ claims, step }) => {
 *   let charges = 0;
 *   const handler = consumeOnce({ scope: 'test', claims }, async () => {
 *     await step();
 *     charges += 1;
 *   });
 *   await Promise.all([handler(event), handler(event)]);
 *   assert.equal(charges, 1);
 * });
 * ```
 */
export async function interleave(
  options: InterleaveOptions,
  world: (interleaving: Interleaving) => Promise<unknown>,
): Promise<void> {
  const { orders = 100, seed = 1 } = options;
  expectWithin('orders', orders, 1, 100_000);
  expectWithin('seed', seed, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
  for (let order = 0; order < orders; order += 1) {
    try {
      await runOrder(options.claims(), seed + order, world);
    } catch (error) {
      const again = `seed: ${seed + order}, orders: 1`;
      throw new Error(`order ${order + 1} of ${orders} failed; run it again with { ${again} }`, {
        cause: error,
      });
    }
  }
}

/** Turns of the event loop after which work that waits for nothing but promises has come to rest. */
const turnsUntilQuiet = 3;
/** How long nothing may wait for a turn, in event loop turns, before the order counts as stuck. */
const mostIdleTurns = 10_000;

async function runOrder(
  claims: ClaimStore,
  seed: number,
  world: (interleaving: Interleaving) => Promise<unknown>,
): Promise<void> {
  const waiting: (() => void)[] = [];
  const step = () => new Promise<void>((resolve) => waiting.push(resolve));
  let over = false;
  const end = () => {
    over = true;
  };
  const work = world({ claims: stepwise(claims, step), step });
  work.then(end, end);
  for (let turn = 0, idle = 0; !over && idle < mostIdleTurns; turn += 1) {
    await quiet();
    idle = waiting.length === 0 ? idle + 1 : 0;
    const [next] = waiting.splice(Math.floor(fraction(seed, turn) * waiting.length), 1);
    next?.();
  }
  if (!over)
    throw new Error('the deliveries wait for something that is neither a call of the store nor a step()');
  await work;
}

/** Before the call and after it: the answer may be late while the write has landed. */
function stepwise(claims: ClaimStore, step: () => Promise<void>): ClaimStore {
  return new Proxy(claims, {
    get(store, property, receiver) {
      const value: unknown = Reflect.get(store, property, receiver);
      if (typeof value !== 'function') return value;
      return async (...args: unknown[]) => {
        await step();
        const answer = await (value as Call).apply(store, args);
        await step();
        return answer;
      };
    },
  });
}

async function quiet(): Promise<void> {
  for (let turn = 0; turn < turnsUntilQuiet; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
