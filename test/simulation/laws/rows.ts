import { skewMillis } from '../../../lib/lease.ts';
import { type ClaimRow, letGoReason } from '../../../lib/words.ts';
import { beginsAnew, isExpired, isReopening, marksOf, processOf, type Work } from '../facts.ts';
import type { Accuse, LawIn } from './law.ts';

const settled: readonly ClaimRow['status'][] = ['completed', 'rejected', 'parked'];

/** L1, L2, L4, L8 and L10 as far as a row shows them: who may change it, from what, to what. */
export const rowsChangeByTheRules: LawIn = (_world, accuse) => ({
  rowChanged(change) {
    const { work, before, after, writer, item } = change;
    if (after.status !== 'leased' && item.leaseEndsAt !== undefined) {
      accuse('L8', `a row that is ${after.status} has a lease`);
    }
    if (before === undefined) {
      if (after.fence !== 1) accuse('L2', `a new row begins with fence ${after.fence}`);
      return;
    }
    if (after.firstClaimedAt > before.firstClaimedAt && !beginsAnew(change)) {
      accuse('L10', 'the time of the first claim was lost');
    }
    if (after.fence !== before.fence) changedHands(work, before, after, accuse);
    else if (after.owner !== before.owner) accuse('L2', 'the owner changed and the fence did not');
    else changedByHolder(before, after, writer, accuse);
  },
});

function changedHands(work: Work, before: ClaimRow, after: ClaimRow, accuse: Accuse): void {
  if (after.fence !== before.fence + 1) accuse('L2', `the fence went from ${before.fence} to ${after.fence}`);
  if (after.owner === before.owner) accuse('L2', 'the fence rose and the owner did not change');
  const isByPerson = after.status === 'released';
  const leaseRuns =
    before.status === 'leased' && !((before.leaseEndsAt ?? 0) + skewMillis <= after.claimedAt);
  if (leaseRuns && !isByPerson) {
    accuse('L8', `a lease until ${before.leaseEndsAt} was taken over at ${after.claimedAt}`);
  }
  if (isExpired(before, after.claimedAt)) return;
  goesOn(before, after, accuse);
  if (before.status === 'completed' || before.status === 'rejected') {
    accuse('L4', `a row that was ${before.status} is claimed again`);
  }
  if (isByPerson) return;
  if (before.status === 'parked' && after.messageId === before.messageId) {
    accuse('L10', 'a parked message was claimed again without having been brought back');
  }
  if (before.status !== 'parked' && isReopening(before, after) && isRemembered(work, after)) {
    accuse('L10', 'one redrive mark counted twice');
  }
}

/** What a row knows of earlier attempts goes on through every change of hands, until its time is up. */
function goesOn(before: ClaimRow, after: ClaimRow, accuse: Accuse): void {
  const attempts = isReopening(before, after) ? 0 : before.attempts;
  if (after.attempts !== attempts && after.attempts !== attempts + 1) {
    accuse('L9', `attempts went from ${before.attempts} to ${after.attempts}`);
  }
  if (before.reason === letGoReason && after.attempts > attempts && !isReopening(before, after)) {
    accuse('L9', 'work that a person let go of is tried again');
  }
  if ((after.effects ?? 0) < (before.effects ?? 0))
    accuse('L10', 'effects that were new have old keys again');
}

/** A row remembers no more marks than this. */
const rememberedMarks = 4;

function isRemembered(work: Work, row: ClaimRow): boolean {
  return work.marks.slice(-rememberedMarks).includes(marksOf(row).at(-1) ?? '');
}

function changedByHolder(before: ClaimRow, after: ClaimRow, writer: string, accuse: Accuse): void {
  if (before.status === 'released') accuse('L2', 'a claim that was given back was written by its old holder');
  if (before.status === 'leased') {
    if (processOf(before.owner) !== writer) accuse('L2', `${writer} wrote to the claim of ${before.owner}`);
    if (after.status === 'leased' && !((after.leaseEndsAt ?? 0) >= (before.leaseEndsAt ?? 0))) {
      accuse('L8', `the lease went back from ${before.leaseEndsAt} to ${after.leaseEndsAt}`);
    }
    return;
  }
  if (settled.includes(before.status) && after.status !== before.status) {
    accuse('L4', `a row that was ${before.status} became ${after.status}`);
  }
  if (before.parkSent && !after.parkSent) accuse('L9', 'a parking that was sent is to be sent again');
  if (after.expiresAt < before.expiresAt) accuse('L11', 'a settled row is kept shorter than before');
  if (before.result !== after.result) accuse('L4', 'a recorded result changed');
  if ((after.followUpsSent ?? Number.POSITIVE_INFINITY) < (before.followUpsSent ?? 0)) {
    accuse('L13', 'follow-ups that were out are to be sent again');
  }
}
