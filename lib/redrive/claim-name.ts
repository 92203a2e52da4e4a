import { rowKey, unkeyedRowKey } from '../arrive/row-key.ts';
import { type DeadLetter, firstMessageIdOf } from './dead-letter.ts';

/** Which claim's row a message belongs to. */
export type ClaimName =
  /** Our attribute says so. */
  | { readonly status: 'named'; readonly rowKey: string }
  /** A person gave the scope, and the key is taken to be the message id. */
  | { readonly status: 'supposed'; readonly rowKey: string }
  /** SQS dead-lettered it itself: only the consumer knows its scope and key. */
  | { readonly status: 'unknown' };

export function claimNameOf(letter: DeadLetter, givenScope: string | undefined): ClaimName {
  const { once } = letter;
  const { scope, key } = once ?? {};
  if (scope !== undefined && key !== undefined) return { status: 'named', rowKey: rowKey(scope, key) };
  if (scope !== undefined && once?.parkId !== undefined) {
    return { status: 'named', rowKey: unkeyedRowKey(scope, firstMessageIdOf(letter)) };
  }
  if (givenScope === undefined) return { status: 'unknown' };
  const supposedKey = once?.followUp ?? firstMessageIdOf(letter);
  return { status: 'supposed', rowKey: rowKey(givenScope, supposedKey) };
}
