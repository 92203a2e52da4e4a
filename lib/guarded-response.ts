import type { MiddlewareRequest } from './withheld.ts';

/**
 * Makes our answer of a middleware's that came in its place: early, from `before`, `after` or `onError`. May
 * throw, and may be a promise: Middy awaits what it returns.
 */
type Early = (answer: unknown) => unknown;

/** A consumer's hold on a request's answer, until it knows its own. */
export interface ResponseGuard {
  /** The consumer's answer; `undefined` when the invocation fails. */
  answer(response: unknown): void;
  /** Leaves the answer to whoever stands around us. */
  letGo(): void;
}

const guardeds = new WeakMap<MiddlewareRequest, GuardedResponse>();

/**
 * Holds on to a request's answer. Lambda takes an answer without failures for "all done" and SQS deletes, so
 * nobody but the consumer may acknowledge its messages. Middy lets any middleware answer: early, and then no
 * `after` hook is called, or in the place of an error.
 *
 *   before ─▶ guarded ─▶ our after or onError ─▶ answered: only `undefined`, Middy's reset, comes through
 *                 └─ an early answer ─▶ `early` makes ours of it, when Middy reads it
 */
export function guardResponse(request: MiddlewareRequest, early: Early): ResponseGuard {
  let guarded = guardeds.get(request);
  if (guarded === undefined) {
    guarded = new GuardedResponse(request);
    guardeds.set(request, guarded);
  }
  return guarded.hold(early);
}

/** The answer of one request; of two consumers around each other the inner one answers first. */
class GuardedResponse {
  private readonly request: MiddlewareRequest;
  private readonly holds: Early[] = [];
  private value: unknown;
  private isFinal = false;

  constructor(request: MiddlewareRequest) {
    this.request = request;
    this.value = request.response;
    Object.defineProperty(request, 'response', {
      configurable: true,
      enumerable: true,
      get: () => this.read(),
      set: (value: unknown) => {
        if (!this.isFinal || this.holds.length > 0 || value === undefined) this.value = value;
      },
    });
  }

  hold(early: Early): ResponseGuard {
    this.holds.push(early);
    const letGo = () => {
      const place = this.holds.indexOf(early);
      if (place >= 0) this.holds.splice(place, 1);
    };
    return {
      letGo,
      answer: (response) => {
        letGo();
        this.isFinal = true;
        this.value = response;
      },
    };
  }

  private read(): unknown {
    if (this.holds.length > 0 && Object.hasOwn(this.request, 'earlyResponse')) {
      const [first, ...outer] = this.holds.splice(0).reverse();
      const own = first?.(this.value);
      this.value = outer.length === 0 ? own : throughAll(own, outer);
    }
    return this.value;
  }
}

async function throughAll(answer: unknown, holds: readonly Early[]): Promise<unknown> {
  let own = await answer;
  for (const early of holds) own = await early(own);
  return own;
}
