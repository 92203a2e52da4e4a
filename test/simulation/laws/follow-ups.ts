import { followUpFrom } from '../../../lib/handle/follow-up-record.ts';
import type { LawIn } from './law.ts';

/**
 * L12 and L13: follow-ups go out after they were recorded with an outcome, under keys that are theirs alone, and
 * those of a FIFO group in the order in which its messages were sent.
 */
export const followUpsFollow: LawIn = ({ plan, facts }, accuse) => {
  /** Follow-ups in the order of the outcomes that record them, by group. */
  const recorded = new Map<string, string[]>();
  return {
    rowChanged({ work, after }) {
      if (work.outcome !== undefined || after.status !== 'completed') return;
      const group = facts.letters.get(after.messageId ?? '')?.groupId ?? '';
      const keys = (after.followUps ?? []).map((text) => followUpFrom(text).key);
      recorded.set(group, [...(recorded.get(group) ?? []), ...keys]);
    },
    followUpSent(_process, key = '') {
      const isRecorded = [...facts.works.values()].some(({ followUps }) => followUps.includes(key));
      if (!isRecorded) accuse('L13', 'a follow-up is sent that no outcome records');
    },
    followUpAccepted(key = '') {
      if (!plan.fifo || facts.followUpsAccepted.has(key)) return;
      const group = [...recorded.values()].find((keys) => keys.includes(key)) ?? [];
      const before = group.slice(0, group.indexOf(key));
      if (!before.every((earlier) => facts.followUpsAccepted.has(earlier))) {
        accuse('L12', 'a follow-up is out before those of an earlier message');
      }
    },
  };
};
