import type * as rows from '../../../lib/claim/claim-row.ts';
import type * as marks from '../../../lib/claim/marks.ts';
import { deciding, replacing, type Twin } from './twin.ts';

const broughtBack = { earlyRedrives: true, natures: { failing: 25 } } as const;
const comingTwice = {
  ...broughtBack,
  keys: 'business',
  works: 1,
  messages: 5,
  rates: { lostReply: 25 },
  faults: 60,
} as const;

/** Guards around what a person brings back, lets go of, or wants done anew. */
export const redriveTwins: readonly Twin[] = [
  {
    without: 'the way back that a mark opens',
    engine: () =>
      deciding((decide, row, wish) =>
        decide(row, {
          ...wish,
          mark: undefined,
          messageId: wish.mark === undefined ? wish.messageId : (row?.messageId ?? ''),
        }),
      ),
    focus: broughtBack,
  },
  {
    without: 'the way back of another message id',
    engine: () =>
      deciding((decide, row, wish) =>
        row?.status === 'parked' && wish.mark === undefined ? { status: 'parked', row } : decide(row, wish),
      ),
    focus: { natures: { failing: 25 }, keys: 'business', works: 1, messages: 5 },
  },
  {
    without: 'attempts that restart with a redrive',
    engine: () =>
      replacing<typeof rows>('claim/claim-row.ts', ({ claimRow }) => ({
        claimRow: (rowKey, free, ...asked) =>
          claimRow(rowKey, free.taking === 'reopened' ? { ...free, taking: 'continued' } : free, ...asked),
      })),
    focus: broughtBack,
  },
  {
    without: 'attempts that go on',
    engine: () =>
      replacing<typeof rows>('claim/claim-row.ts', ({ claimRow }) => ({
        claimRow: (...asked) => ({ ...claimRow(...asked), attempts: 1 }),
      })),
    focus: { habits: { throws: 50 } },
  },
  {
    without: 'a memory of more than one mark',
    engine: () =>
      replacing<typeof marks>('claim/marks.ts', () => ({ honouring: (_honoured, mark) => mark.id })),
    focus: comingTwice,
  },
  {
    without: 'a generation of effect keys that stays',
    engine: () =>
      replacing<typeof rows>('claim/claim-row.ts', ({ claimRow }) => ({
        claimRow: (rowKey, free, wish, terms) => {
          const { effects: _, ...row } = claimRow(rowKey, free, wish, terms);
          const effects = wish.mark?.effects;
          return effects === undefined ? row : { ...row, effects };
        },
      })),
    focus: { ...broughtBack, boldPeople: true, claim: 'first', habits: { throws: 50 } },
  },
  {
    without: 'respect for a person who let go',
    engine: () =>
      deciding((decide, row, wish) =>
        decide(row?.reason === 'let-go' ? { ...row, reason: 'hold' } : row, wish),
      ),
    focus: {
      ...broughtBack,
      boldPeople: true,
      claim: 'first',
      maxReceiveCount: 9,
      habits: { throws: 50 },
      faults: 60,
    },
  },
];
