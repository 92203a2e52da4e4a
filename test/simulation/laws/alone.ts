import type { Run } from '../facts.ts';
import type { LawIn } from './law.ts';

/**
 * L9: an attempt after one whose end is unknown runs alone in its process, so that a crash is charged to the
 * message that caused it. A handler that was left behind, deaf to its signal, is nobody's neighbour any more.
 */
export const suspectsRunAlone: LawIn = ({ plan, facts }, accuse) => {
  const isSuspect = ({ claim }: Run) =>
    plan.claim === 'first' ? claim?.isSuspect === true : claim !== undefined;
  return {
    runStarted(run) {
      const isUnwanted =
        plan.claim === 'first' && plan.abandoned === 'park' && run.claim?.isBroughtBack === false;
      if (isUnwanted && isSuspect(run)) accuse('L9', `${run.id} starts where abandoned work is to be parked`);
      for (const { runs } of facts.works.values()) {
        for (const other of runs) {
          if (other.process !== run.process || other.end !== 'running' || other.leftBehind) continue;
          if (isSuspect(run) || isSuspect(other)) accuse('L9', `${run.id} starts beside ${other.id}`);
        }
      }
    },
  };
};
