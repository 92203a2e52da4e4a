import type { SQSClient } from '@aws-sdk/client-sqs';
import { type ClaimName, claimNameOf } from './claim-name.ts';
import type { ReadClaim } from './claims.ts';
import type { DeadLetter } from './dead-letter.ts';
import { type Pass, startPass } from './pass.ts';
import type { ClaimNow } from './plan.ts';
import type { DeadLetterQueue } from './queue.ts';
import { isSelected, type Selection } from './selection.ts';

export interface LookOptions {
  readonly sqs: SQSClient;
  readonly queue: DeadLetterQueue;
  readonly readClaim: ReadClaim;
  readonly selection: Selection;
  readonly scope?: string | undefined;
  /** At most so many messages. */
  readonly limit: number;
  readonly signal?: AbortSignal;
  /** How long what was found stays invisible to others while a person decides. @default 60 */
  readonly holdSeconds?: number;
}

/** A dead letter and its claim as it is now. */
export interface Seen {
  readonly letter: DeadLetter;
  readonly name: ClaimName;
  readonly claim: ClaimNow;
}

/** What a look found. It is held until `pass` ends. */
export interface Look {
  readonly found: readonly Seen[];
  readonly pass: Pass;
}

/** A look takes in so many messages at most, selected or not: those in flight are limited. */
const mostReceived = 20_000;

/** Looks through a dead-letter queue and takes nothing away. */
export async function look(options: LookOptions): Promise<Look> {
  const { sqs, queue, selection, limit, signal, holdSeconds = 60 } = options;
  const pass = startPass(sqs, queue, { holdSeconds, ...(signal !== undefined ? { signal } : {}) });
  const found: Seen[] = [];
  try {
    for (let received = 0; found.length < limit && received < mostReceived; ) {
      const letters = await pass.next();
      if (letters.length === 0) break;
      received += letters.length;
      const selected = letters.filter((letter) => isSelected(letter, selection));
      found.push(...(await Promise.all(selected.slice(0, limit - found.length).map(seenOf(options)))));
    }
    return { found, pass };
  } catch (error) {
    await pass.end().catch(() => {
      // The first error says what is wrong; the messages come back by themselves.
    });
    throw error;
  }
}

function seenOf({ readClaim, scope }: LookOptions): (letter: DeadLetter) => Promise<Seen> {
  return async (letter) => {
    const name = claimNameOf(letter, scope);
    return { letter, name, claim: await readClaim(name) };
  };
}
