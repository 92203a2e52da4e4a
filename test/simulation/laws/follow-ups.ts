import type { LawIn } from './law.ts';

/** L13: follow-ups go out after they were recorded with an outcome, and under keys that are theirs alone. */
export const followUpsFollow: LawIn = ({ facts }, accuse) => ({
  followUpSent(_process, key) {
    const known = [...facts.works.values()].some(({ followUps }) => followUps.includes(key ?? ''));
    if (!known) accuse('L13', 'a follow-up is sent that no outcome records');
  },
  effectAsked({ work }, name, key) {
    const known = work.effectKeys.get(name);
    if (known !== undefined && known !== key) accuse('L10', `the effect ${name} has another key than before`);
    work.effectKeys.set(name, key);
  },
});
