import { followUpFrom } from '../../../lib/handle/follow-up-record.ts';
import type { LawIn } from './law.ts';

interface Recorded {
  readonly key: string;
  readonly messageId: string;
  /** Of its message in the queue. */
  readonly place: number | undefined;
}

/**
 * L12 and L13: follow-ups go out after they were recorded with an outcome, under keys that are theirs alone, and
 * those of a FIFO group in the order in which its messages were sent.
 */
export const followUpsFollow: LawIn = ({ plan, facts, queues }, accuse) => {
  /** Follow-ups in the order of the outcomes that record them, by group. */
  const recorded = new Map<string, Recorded[]>();
  const placeOf = (messageId: string) =>
    queues.flatMap(({ letters }) => letters).find(({ id }) => id === messageId)?.place;
  return {
    rowChanged({ work, after }) {
      if (work.outcome !== undefined || after.status !== 'completed') return;
      const group = facts.letters.get(after.messageId ?? '')?.groupId ?? '';
      const messageId = after.messageId ?? '';
      const place = placeOf(messageId);
      const sendings = (after.followUps ?? []).map((text) => ({
        key: followUpFrom(text).key,
        messageId,
        place,
      }));
      recorded.set(group, [...(recorded.get(group) ?? []), ...sendings]);
    },
    followUpSent(_process, key = '') {
      const isRecorded = [...facts.works.values()].some(({ followUps }) => followUps.includes(key));
      if (!isRecorded) accuse('L13', 'a follow-up is sent that no outcome records');
    },
    followUpAccepted(key = '') {
      if (!plan.fifo || facts.followUpsAccepted.has(key)) return;
      const isIt = (sending: Recorded) => sending.key === key;
      const group = [...recorded.values()].find((sendings) => sendings.some(isIt)) ?? [];
      const it = group.findIndex(isIt);
      // A parked message whose row a person opened may still lie before those that went past it.
      const wasSentLater = ({ place = 0 }: Recorded) => place > (group[it]?.place ?? place);
      const earlier = group.slice(0, it).filter((sending) => !wasSentLater(sending));
      // SQS may have moved a message away before its follow-ups were out; its group goes on without it.
      const isOut = (sending: Recorded) =>
        facts.followUpsAccepted.has(sending.key) || facts.gone.has(sending.messageId);
      if (!earlier.every(isOut)) {
        accuse('L12', 'a follow-up is out before those of an earlier message');
      }
    },
  };
};
