import { nothingIsLost } from './acknowledged.ts';
import { suspectsRunAlone } from './alone.ts';
import { wordsAreKept } from './answers.ts';
import { writesLandWithTheirOutcome } from './atomic.ts';
import { fencedOutIsTrue } from './echo.ts';
import { effectsKeepTheirKeys, paymentsFollowTheirMachine } from './effects.ts';
import { everythingEnds } from './ending.ts';
import { followUpsFollow } from './follow-ups.ts';
import type { LawIn } from './law.ts';
import { groupsKeepTheirOrder } from './order.ts';
import { onlyPoisonIsParked } from './parking.ts';
import { rowsChangeByTheRules } from './rows.ts';
import { runsStartUnderTheirClaim } from './runs.ts';
import { whatStandsStillIsAnswered } from './standing.ts';

/** What is watched at every step and at the end. */
export const laws: readonly LawIn[] = [
  rowsChangeByTheRules,
  runsStartUnderTheirClaim,
  suspectsRunAlone,
  writesLandWithTheirOutcome,
  nothingIsLost,
  onlyPoisonIsParked,
  groupsKeepTheirOrder,
  followUpsFollow,
  effectsKeepTheirKeys,
  paymentsFollowTheirMachine,
  wordsAreKept,
  fencedOutIsTrue,
  whatStandsStillIsAnswered,
  everythingEnds,
];
