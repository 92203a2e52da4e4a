import { keyHash } from '../../lib/arrive/row-key.ts';
import { isNamed } from '../../lib/errors.ts';
import { followUpFrom } from '../../lib/handle/follow-up-record.ts';
import type { OnceEvent } from '../../lib/observe/events.ts';
import { parkIdOf } from '../../lib/settle/dead-letter-message.ts';
import type { ClaimRow } from '../../lib/words.ts';
import {
  beginsAnew,
  isReopening,
  type LetterFacts,
  marksOf,
  type Nature,
  processOf,
  type RowChange,
  type Work,
} from './facts.ts';

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
  /** What a process told of a message last, by both. */
  readonly told = new Map<string, { readonly event: OnceEvent; readonly atMillis: number }>();
  /** Until when a process may work on each delivery of a message, by both. */
  readonly deadlines = new Map<string, number[]>();
  /** Since when a process has had a message, by both. */
  readonly givenSince = new Map<string, number>();
  /** Messages that SQS moved to a dead-letter queue by itself, by what they are without a key. */
  readonly movedAway = new Set<string>();
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
      givenBack: 0,
      isHeldBack: false,
      pastOutcomes: [],
      isWanted: false,
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

  /** Whether the work can still be done and is not. */
  isOpen({ nature, outcome, pastOutcomes, followUps, unrecordedBy }: Work): boolean {
    if (nature !== 'good' || unrecordedBy.size > 0 || pastOutcomes.length > 0) return false;
    return outcome === undefined || !followUps.every((key) => this.followUpsAccepted.has(key));
  }

  /** Takes down what a write changed, once the laws have seen it. */
  record({ work, before, after }: RowChange): void {
    const isNewClaim = before === undefined || after.fence !== before.fence;
    if (isNewClaim) this.#changedHands(work, before, after);
    else if (after.status === 'released' && before.status === 'leased') this.#givenBack(work, after);
    const claim = work.claims.findLast(({ owner }) => owner === after.owner);
    if (claim !== undefined && after.status === 'leased') claim.leaseEndsAt = after.leaseEndsAt ?? 0;
    if (work.outcome === undefined && (after.status === 'completed' || after.status === 'rejected')) {
      work.outcome = after;
      work.followUps = (after.followUps ?? []).map((text) => followUpFrom(text).key);
    }
    if (after.status === 'parked' && after.parkId !== undefined) this.parkings.add(after.parkId);
    work.row = after;
  }

  #changedHands(work: Work, before: ClaimRow | undefined, after: ClaimRow): void {
    const isAfresh = beginsAnew({ before, after });
    const isReopened = isReopening(before, after);
    if (isAfresh) this.#forget(work);
    if (isAfresh || isReopened) {
      work.era += 1;
      work.failedRuns = 0;
      work.givenBack = 0;
      work.isHeldBack = after.reason !== undefined;
    }
    if (isReopened) work.isWanted = true;
    if (after.status === 'released' && after.reason !== undefined) work.isHeldBack = true;
    const mark = marksOf(after).at(-1);
    if (mark !== undefined && mark !== work.marks.at(-1)) work.marks.push(mark);
    if (after.status !== 'leased') return;
    work.claims.push({
      owner: after.owner,
      fence: after.fence,
      process: processOf(after.owner),
      era: work.era,
      counted: after.attempts > (isAfresh || isReopened ? 0 : (before?.attempts ?? 0)),
      isSuspect: !isAfresh && before?.status === 'leased' && before.attempts > 0,
      isBroughtBack: isReopened,
      leaseEndsAt: after.leaseEndsAt ?? 0,
    });
  }

  /** The row is gone, and with it what it knew. */
  #forget(work: Work): void {
    if (work.outcome !== undefined) work.pastOutcomes.push(work.outcome);
    work.outcome = undefined;
    work.followUps = [];
    work.marks.length = 0;
    work.isWanted = false;
  }

  #givenBack(work: Work, after: ClaimRow): void {
    const run = work.runs.find(({ claim }) => claim?.owner === after.owner);
    const claim = work.claims.find(({ owner }) => owner === after.owner);
    const isGivenBack = run === undefined || isNamed(run.error, 'RetryLaterError');
    if (claim?.counted && isGivenBack) work.givenBack += 1;
    if (after.reason !== undefined) work.isHeldBack = true;
  }
}
