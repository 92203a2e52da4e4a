import { keyHash } from '../../lib/arrive/row-key.ts';
import { followUpFrom } from '../../lib/handle/follow-up-record.ts';
import { parkIdOf } from '../../lib/settle/dead-letter-message.ts';
import type { Attributes } from '../../lib/store/table.ts';
import type { ClaimRow } from '../../lib/words.ts';
import type { Names } from './names.ts';
import type { Process } from './world/process.ts';

/** How a piece of work is by nature: what its handler does every time, when nothing else goes wrong. */
export type Nature = 'good' | 'poison' | 'killer' | 'failing';

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
  readonly overLapsed: boolean;
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
  /** Redrive marks that were honoured, in order. */
  readonly marks: string[];
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
  readonly names: Names;
  readonly payload: string | undefined;
  /** The mark it came back with, if it was brought back. */
  readonly mark: string | undefined;
}

/** What the world knows, as nobody in it does. */
export class Facts {
  readonly works = new Map<string, Work>();
  /** Every message that was ever in a consumer's queue, by its id. */
  readonly letters = new Map<string, LetterFacts>();
  /** Parkings that were recorded, and those a dead-letter queue took, by park id. */
  readonly parkings = new Set<string>();
  readonly parkingsAccepted = new Set<string>();
  readonly followUpsAccepted = new Set<string>();
  /** Messages that were told to be duplicates of what is settled; whether that is so the answer shows. */
  readonly duplicates = new Set<string>();
  /** Messages that need no more deliveries: acknowledged, or in a dead-letter queue. */
  readonly gone = new Set<string>();

  /** The work of a row key. What has no key is parked and never runs. */
  of(rowKey: string): Work {
    return this.works.get(rowKey) ?? this.add(rowKey, '', 'poison');
  }

  add(rowKey: string, scope: string, nature: Nature): Work {
    const known = this.works.get(rowKey);
    if (known !== undefined) return known;
    const work: Work = {
      rowKey,
      keyHash: keyHash(rowKey),
      scope,
      nature,
      row: undefined,
      runs: [],
      claims: [],
      outcome: undefined,
      followUps: [],
      era: 0,
      failedRuns: 0,
      marks: [],
      effectKeys: new Map(),
      unrecordedBy: new Set(),
    };
    this.works.set(rowKey, work);
    return work;
  }

  /** Whether a dead-letter queue took the parking of this very message. */
  isParkedAway({ id, names }: LetterFacts): boolean {
    return [names.keyed ?? names.unkeyed, names.unkeyed].some((rowKey) =>
      this.parkingsAccepted.has(parkIdOf(rowKey, id)),
    );
  }

  /** Takes down what a write changed, once the laws have seen it. */
  record({ work, before, after }: RowChange): void {
    const isNewClaim = before === undefined || after.fence !== before.fence;
    if (isNewClaim && isReopening(before, after)) {
      work.era += 1;
      work.failedRuns = 0;
    }
    if (isNewClaim && after.status === 'leased') {
      const counted = after.attempts > (isReopening(before, after) ? 0 : (before?.attempts ?? 0));
      work.claims.push({
        owner: after.owner,
        fence: after.fence,
        process: processOf(after.owner),
        era: work.era,
        counted,
        overLapsed: before?.status === 'leased',
        leaseEndsAt: after.leaseEndsAt ?? 0,
      });
    }
    const claim = work.claims.findLast(({ owner }) => owner === after.owner);
    if (claim !== undefined && after.status === 'leased') claim.leaseEndsAt = after.leaseEndsAt ?? 0;
    const mark = marksOf(after).at(-1);
    if (mark !== undefined && mark !== work.marks.at(-1)) work.marks.push(mark);
    if (work.outcome === undefined && (after.status === 'completed' || after.status === 'rejected')) {
      work.outcome = after;
      work.followUps = (after.followUps ?? []).map((text) => followUpFrom(text).key);
    }
    if (after.status === 'parked' && after.parkId !== undefined) this.parkings.add(after.parkId);
    work.row = after;
  }
}

/** Whether a claim starts the attempts afresh: over a parked row, under a new mark, or let go by a person. */
export function isReopening(before: ClaimRow | undefined, after: ClaimRow): boolean {
  if (before === undefined) return false;
  return (
    before.status === 'parked' ||
    after.status === 'released' ||
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
