import { type DeadLetter, firstMessageIdOf, reasonOf } from './dead-letter.ts';

/** Which dead letters are meant. What is not given takes all; of one list any may fit, of several lists each must. */
export interface Selection {
  readonly reasons?: readonly string[];
  readonly keys?: readonly string[];
  /** Ids of the message here, of the message when it was first sent, or of its parking. */
  readonly messages?: readonly string[];
}

export function isSelected(letter: DeadLetter, { reasons, keys, messages }: Selection): boolean {
  const { key, parkId } = letter.once ?? {};
  return (
    fits(reasons, reasonOf(letter)) &&
    fits(keys, key) &&
    fits(messages, letter.messageId, firstMessageIdOf(letter), parkId)
  );
}

export function selectsAll({ reasons, keys, messages }: Selection): boolean {
  return [reasons, keys, messages].every((list) => list === undefined);
}

function fits(wanted: readonly string[] | undefined, ...values: readonly (string | undefined)[]): boolean {
  return wanted === undefined || values.some((value) => value !== undefined && wanted.includes(value));
}
