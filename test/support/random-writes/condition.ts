import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import fc, { type Arbitrary } from 'fast-check';
import { given, type Piece, piece, written } from './piece.ts';
import { anyValue, bytesValue, orderedValue, textValue } from './value.ts';

const oneOf = fc.constantFrom;

export const path = written(
  'u',
  '#u',
  'v',
  '#v',
  'w',
  'l',
  'm',
  'z',
  'l[0]',
  'l[1]',
  'm.x',
  '#m.#y',
  'm.x[0]',
  'l[0].x',
);
const size: Arbitrary<Piece> = path.map((name) => piece`size(${name})`);
const operandOf = (value: Arbitrary<AttributeValue>): Arbitrary<Piece> =>
  fc.oneof(path, given(value), { weight: 1, arbitrary: size });

// AWS refuses a given value that has no order, and a type that does not exist; dynoxide calls them false.
const typeName = given(oneOf('S', 'N', 'SS', 'NS', 'L', 'M', 'BOOL').map((S) => ({ S })));
const test: Arbitrary<Piece> = fc.oneof(
  fc
    .tuple(operandOf(anyValue), oneOf('=', '<>'), operandOf(anyValue))
    .map(([a, sign, b]) => piece`${a} ${sign} ${b}`),
  fc
    .tuple(operandOf(orderedValue), oneOf('<', '<=', '>', '>='), operandOf(orderedValue))
    .map(([a, sign, b]) => piece`${a} ${sign} ${b}`),
  fc
    .tuple(operandOf(orderedValue), operandOf(orderedValue), operandOf(orderedValue))
    .map(([a, low, high]) => piece`${a} BETWEEN ${low} AND ${high}`),
  fc
    .tuple(operandOf(anyValue), operandOf(anyValue), operandOf(anyValue))
    .map(([a, b, c]) => piece`${a} IN (${b}, ${c})`),
  fc
    .tuple(oneOf('attribute_exists', 'attribute_not_exists'), path)
    .map(([name, where]) => piece`${name}(${where})`),
  fc.tuple(path, typeName).map(([where, type]) => piece`attribute_type(${where}, ${type})`),
  fc
    .tuple(path, fc.oneof(path, given(fc.oneof(textValue, bytesValue))))
    .map(([where, prefix]) => piece`begins_with(${where}, ${prefix})`),
  fc
    .tuple(path, fc.oneof(path, given(anyValue)))
    // Both refuse one path twice; dynoxide does not see it when one of the two is a placeholder.
    .filter(([where, member]) => where.text.replaceAll('#', '') !== member.text.replaceAll('#', ''))
    .map(([where, member]) => piece`contains(${where}, ${member})`),
);

export const { condition } = fc.letrec<{ condition: Piece; inner: Piece }>((tie) => ({
  inner: fc.oneof({ maxDepth: 2 }, test, tie('condition')),
  condition: fc.oneof(
    { weight: 3, arbitrary: test },
    fc
      .tuple(tie('inner'), oneOf('AND', 'OR', 'and'), tie('inner'))
      .map(([a, word, b]) => piece`${a} ${word} ${b}`),
    tie('inner').map((inner) => piece`NOT ${inner}`),
    tie('inner').map((inner) => piece`(${inner})`),
  ),
}));
