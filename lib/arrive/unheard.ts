import { types } from 'node:util';

/**
 * Whether a user's function that has to answer at once answered a promise. It is refused, so nobody else is there
 * to hear of its failure, and Node ends the process, with every message in it, for one unheard.
 */
export function isRefusedPromise(value: unknown): value is Promise<unknown> {
  if (!types.isPromise(value)) return false;
  Promise.prototype.then.call(value, undefined, () => {});
  return true;
}
