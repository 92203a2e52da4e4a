import fc, { type Arbitrary } from 'fast-check';
import { path } from './condition.ts';
import { given, type Piece, piece, written } from './piece.ts';
import { anyValue, flatValue, listOf, numberValue, setValue } from './value.ts';

const oneOf = fc.constantFrom;

// AWS appends an element past a list's end and refuses a member of what is not there; dynoxide fills the gap
// with nulls and makes the parent. So only places are set that behave alike in both.
const places = ['u', '#u', 'v', 'w', 'l', 'm', 'z', '#y', 'l[0]', 'l[1]', 'l[2]', 'm.x', '#m.#y'];
const number = fc.oneof({ weight: 3, arbitrary: given(numberValue) }, written('u', 'm.x'));
const list = fc.oneof({ weight: 3, arbitrary: given(listOf(flatValue)) }, written('l', 'z'));
const term: Arbitrary<Piece> = fc.oneof(
  given(anyValue),
  written('u', 'v', 'w', 'l', 'm', 'l[0]', 'm.x', 'm.x[0]'),
  fc.tuple(number, oneOf('+', '-'), number).map(([a, sign, b]) => piece`${a} ${sign} ${b}`),
  fc.tuple(path, given(anyValue)).map(([name, value]) => piece`if_not_exists(${name}, ${value})`),
  fc
    .tuple(path, given(numberValue), number)
    .map(([name, a, b]) => piece`if_not_exists(${name}, ${a}) + ${b}`),
  fc.tuple(list, list).map(([a, b]) => piece`list_append(${a}, ${b})`),
);
const amount = given(fc.oneof(numberValue, setValue));

const clauses = ['SET', 'REMOVE', 'add', 'DELETE'] as const;

interface Action {
  readonly clause: (typeof clauses)[number];
  readonly text: Piece;
}

function actionAt(place: string): Arbitrary<Action> {
  const set = term.map((value): Action => ({ clause: 'SET', text: piece`${place} = ${value}` }));
  const remove = fc.constant<Action>({ clause: 'REMOVE', text: piece`${place}` });
  const add = amount.map((value): Action => ({ clause: 'add', text: piece`${place} ${value}` }));
  const less = given(setValue).map((value): Action => ({ clause: 'DELETE', text: piece`${place} ${value}` }));
  if (place === 'l[1]' || place === 'l[2]') return remove;
  if (place === 'w' || place === '#y') return fc.oneof(set, add, less);
  return fc.oneof(
    { weight: 4, arbitrary: set },
    { weight: place.endsWith('u') ? 4 : 1, arbitrary: add },
    remove,
  );
}

/** Two actions at one place are refused, so most updates have only one there. */
const somePlaces = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.uniqueArray(oneOf(...places), { minLength: 1, maxLength: 4, selector: apart }),
  },
  fc.array(oneOf(...places), { minLength: 1, maxLength: 3 }),
);

export const update = somePlaces
  .chain((chosen) => fc.tuple(...chosen.map(actionAt)))
  .map((actions) =>
    clauses
      .map((clause) => ({ clause, its: actions.filter((action) => action.clause === clause) }))
      .filter(({ its }) => its.length > 0)
      .map(({ clause, its }) => {
        const list = its.map(({ text }) => text).reduce((all, next) => piece`${all}, ${next}`);
        return piece`${clause} ${list}`;
      })
      .reduce((all, next) => piece`${all} ${next}`),
  );

/** What two actions of one update do not share, or both AWS and dynoxide refuse them. */
function apart(place: string): string {
  return place.startsWith('l[') ? place : place.replace('#', '').slice(0, 1);
}
