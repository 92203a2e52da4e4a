import type { ClaimRow } from '../words.ts';
import type { ClaimName } from './claim-name.ts';

/** What is known of a dead letter's claim. */
export type ClaimNow =
  /** Nobody can tell: no claim is named, or no table. */
  | { readonly status: 'unknown' }
  /** The table has no such row, or not any more. */
  | { readonly status: 'none' }
  | { readonly status: 'found'; readonly row: ClaimRow };

/** What a redrive does with a dead letter. */
export type Plan =
  /** Its work is done: it is deleted and does not go back. */
  | { readonly action: 'drop'; readonly why: 'completed' | 'rejected' }
  /** It goes back to its source; the consumer's claim has the last word. */
  | { readonly action: 'send' };

/**
 * Only an outcome recorded under the very claim our attribute names ends a message here. A row found by a
 * supposed key proves too little, and everything that is not settled is the consumer's to decide.
 */
export function planFor(name: ClaimName, claim: ClaimNow): Plan {
  if (name.status !== 'named' || claim.status !== 'found') return { action: 'send' };
  const { status, followUps = [] } = claim.row;
  if (status === 'rejected') return { action: 'drop', why: status };
  // Follow-ups that are not out yet are sent by the consumer when the message comes back to it.
  if (status === 'completed' && followUps.length === 0) return { action: 'drop', why: status };
  return { action: 'send' };
}
