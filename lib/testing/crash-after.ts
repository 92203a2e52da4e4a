import type { Ambient } from '../ambient.ts';
import { processGate } from '../handle/gate.ts';
import type { ClaimStore } from '../store/port.ts';

/**
 * Where the process dies.
 * - `claim`: the claim is taken; user code has not started.
 * - `work`: user code has returned; nothing of it is recorded.
 * - `outcome`: the outcome and the attempt's own writes are recorded; no follow-up is sent, nothing answered.
 * - `parking`: the parking is recorded; the dead-letter queue does not have the message yet.
 */
export type CrashPoint = 'claim' | 'work' | 'outcome' | 'parking';

/** A process that will die. */
export interface DoomedProcess {
  /** The store as the doomed process sees it. */
  readonly claims: ClaimStore;
  /**
   * Runs the invocation that dies, and answers at the moment of death; the invocation itself never does.
   * @throws Error when the invocation ended alive, because it never came to the point
   */
  run(invocation: () => Promise<unknown>): Promise<void>;
}

type Call = (...args: unknown[]) => Promise<unknown>;

/** Which calls of the store a point lies at, and on which side of them. */
const points: Readonly<
  Record<CrashPoint, { readonly calls: readonly (keyof ClaimStore)[]; readonly landed: boolean }>
> = {
  claim: { calls: ['acquire'], landed: true },
  work: { calls: ['settle', 'commit'], landed: false },
  outcome: { calls: ['settle', 'commit'], landed: true },
  parking: { calls: ['park'], landed: true },
};

/**
 * A store whose process dies at a named point: what was written stays, and from there on nothing of the
 * process goes on: no call is answered and no timer rings. Share the store itself with the next process.
 *
 * @param point where it dies, the first time it comes there
 * @param claims the store that survives
 * @example
 * ```ts
 * const clock = handClock();
 * const claims = memoryClaims({ clock });
 * const doomed = crashAfter('claim', claims);
 * const lost = consumeOnce({ scope: 'test', claims: doomed.claims }, capture);
 * await doomed.run(() => lost(event));
 * clock.passSeconds(61); // until its lease is over
 * await consumeOnce({ scope: 'test', claims }, capture)(event);
 * ```
 */
export function crashAfter(point: CrashPoint, claims: ClaimStore): DoomedProcess {
  if (!Object.hasOwn(points, point)) {
    throw new TypeError(
      `the point is ${JSON.stringify(point)}; give one of ${Object.keys(points).join(', ')}`,
    );
  }
  const { calls, landed } = points[point];
  const { promise: crashed, resolve } = Promise.withResolvers<void>();
  const ambient = mortal(claims.ambient);
  const never = new Promise<never>(() => {});
  let dead = false;
  const die = () => {
    dead = true;
    ambient.die();
    resolve();
    return never;
  };
  const doomed = new Proxy(claims, {
    get(store, property, receiver) {
      if (property === 'ambient') return ambient;
      const value: unknown = Reflect.get(store, property, receiver);
      if (typeof value !== 'function') return value;
      const isThePoint = calls.includes(property as keyof ClaimStore);
      return async (...args: unknown[]) => {
        if (dead || (isThePoint && !landed)) return die();
        const answer = await (value as Call).apply(store, args);
        return dead || isThePoint ? die() : answer;
      };
    },
  });
  return {
    claims: doomed,
    run(invocation) {
      // Another process has a gate of its own: what died in there must keep nobody waiting out here.
      const ended = processGate.inside(invocation).then(() => {
        throw new Error(`the invocation ended and never came to '${point}'; nothing crashed`);
      });
      return Promise.race([crashed, ended]);
    },
  };
}

/** A process's time, whose timers die with it, so that a test's own process can end. */
function mortal(ambient: Ambient): Ambient & { die(): void } {
  const cancels = new Set<() => void>();
  let dead = false;
  return {
    ...ambient,
    after(millis, task) {
      if (dead) return () => {};
      const cancel = ambient.after(millis, () => {
        cancels.delete(cancel);
        task();
      });
      cancels.add(cancel);
      return () => {
        cancels.delete(cancel);
        cancel();
      };
    },
    die() {
      dead = true;
      for (const cancel of cancels) cancel();
      cancels.clear();
    },
  };
}
