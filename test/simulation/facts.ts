import type { Attributes } from '../../lib/store/table.ts';
import type { ClaimRow } from '../../lib/words.ts';
import type { Names } from './names.ts';
import type { Process } from './world/process.ts';

/** How a piece of work is by nature: what its handler does every time, when nothing else goes wrong. */
export type Nature = 'good' | 'poison' | 'killer' | 'failing' | 'doubtful';

/** One call of a handler. */
export interface Run {
  readonly id: string;
  readonly work: Work;
  readonly process: Process;
  readonly messageId: string;
  /** The number the handler was told. */
  readonly number: number;
  /** The claim it runs under; none under `with-commit`, except at the limit. */
  readonly claim: ClaimSeen | undefined;
  /** How often its work had been reopened when it started. */
  readonly era: number;
  /** Whether it was to stop before it began: a whole-event handler comes to its later records when it likes. */
  readonly toldToStop: boolean;
  end: 'running' | 'returned' | 'threw' | 'crashed';
  error: unknown;
  /** Whether it has writes or follow-ups to commit. */
  collected: boolean;
  /** Whether the answer was given while it still ran. */
  leftBehind: boolean;
}

/** One claim as the table saw it. */
export interface ClaimSeen {
  readonly owner: string;
  readonly fence: number;
  readonly process: string;
  readonly era: number;
  readonly counted: boolean;
  /** Whether it was taken after an attempt whose end is unknown. */
  readonly isSuspect: boolean;
  /** Whether a person brought its message back. */
  readonly isBroughtBack: boolean;
  leaseEndsAt: number;
}

/** What is true of one key in one scope, whoever knows it. */
export interface Work {
  readonly rowKey: string;
  readonly keyHash: string;
  readonly scope: string;
  readonly nature: Nature;
  /** The row as it stands in the table. */
  row: ClaimRow | undefined;
  readonly runs: Run[];
  readonly claims: ClaimSeen[];
  /** The row with its outcome, once one is recorded for good. */
  outcome: ClaimRow | undefined;
  /** Keys of the follow-ups recorded with it. */
  followUps: readonly string[];
  /** How often it was brought back, so that attempts count anew. */
  era: number;
  /** Runs of this era that failed or never came to an end. */
  failedRuns: number;
  /** Claims of this era whose attempt was given back, since it did not start or asked for later. */
  givenBack: number;
  /** Whether its attempts were declared used up for a person to decide. */
  isHeldBack: boolean;
  /** Outcomes of rows that are gone. */
  readonly pastOutcomes: ClaimRow[];
  /** Whether a person brought it back from a parking since its last row went. */
  isWanted: boolean;
  /** Redrive marks that were honoured, in order. */
  readonly marks: string[];
  /** Effect key by the name of the effect and its generation. */
  readonly effectKeys: Map<string, string>;
  /** Processes that acknowledged it without a record, since the table could not be told. */
  readonly unrecordedBy: Set<string>;
}

/** One row before and after a write. */
export interface RowChange {
  readonly work: Work;
  /** The process that wrote, or a person. */
  readonly writer: string;
  readonly before: ClaimRow | undefined;
  readonly after: ClaimRow;
  /** The row as it lies in the table now. */
  readonly item: Attributes;
}

/** One message, from when it was sent. */
export interface LetterFacts {
  readonly id: string;
  readonly queue: string;
  readonly groupId: string | undefined;
  readonly names: Names;
  readonly payload: string | undefined;
  /** The mark it came back with, if it was brought back. */
  readonly mark: string | undefined;
  /** When it was first sent, as far as it says itself. */
  readonly oldestMillis: number;
}

/** Whether a row's time is up for one who looks at it then. */
export function isExpired(row: ClaimRow, nowMillis: number): boolean {
  return row.expiresAt * 1_000 <= nowMillis;
}

/** Whether a write begins a row anew, where none is or its time is up. */
export function beginsAnew({ before, after }: Pick<RowChange, 'before' | 'after'>): boolean {
  return before === undefined || (after.fence !== before.fence && isExpired(before, after.claimedAt));
}

/** Whether a claim starts the attempts afresh: over a parked row, under a new mark, or let go by a person. */
export function isReopening(before: ClaimRow | undefined, after: ClaimRow): boolean {
  if (before === undefined || isExpired(before, after.claimedAt)) return false;
  return (
    before.status === 'parked' ||
    (after.status === 'released' && after.reason === undefined) ||
    (after.redrive !== undefined && after.redrive !== before.redrive)
  );
}

/** The redrive marks a row remembers, the newest last. */
export function marksOf({ redrive }: ClaimRow): readonly string[] {
  return redrive?.split('\n') ?? [];
}

/** The process a random id was made in. */
export function processOf(owner: string): string {
  return owner.slice(0, owner.indexOf('/'));
}
