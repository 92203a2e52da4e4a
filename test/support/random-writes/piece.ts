import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import fc, { type Arbitrary } from 'fast-check';

/** A piece of an expression, with one `?` for each of its values. */
export interface Piece {
  readonly text: string;
  readonly values: readonly AttributeValue[];
}

export function piece(texts: TemplateStringsArray, ...parts: readonly (Piece | string)[]): Piece {
  const pieces = parts.map((part) => (typeof part === 'string' ? { text: part, values: [] } : part));
  return {
    text: texts.map((text, index) => text + (pieces[index]?.text ?? '')).join(''),
    values: pieces.flatMap(({ values }) => values),
  };
}

/** A given value, which stands in the expression under a placeholder. */
export const given = (value: Arbitrary<AttributeValue>): Arbitrary<Piece> =>
  value.map((one) => ({ text: '?', values: [one] }));

/** One of these, as it is written. */
export const written = (...texts: readonly string[]): Arbitrary<Piece> =>
  fc.constantFrom(...texts).map((text) => ({ text, values: [] }));

/** The parameters of a statement with these expressions: every `?` gets a placeholder, every `#name` its name. */
export function expressions(parts: { ConditionExpression?: Piece; UpdateExpression?: Piece }) {
  let count = 0;
  const values: Record<string, AttributeValue> = {};
  const names: Record<string, string> = {};
  const rendered = Object.entries(parts).map(([parameter, { text, values: given }]) => {
    const rest = [...given];
    for (const [name] of text.matchAll(/#\w+/g)) names[name] = name.slice(1);
    return [
      parameter,
      text.replaceAll('?', () => {
        const placeholder = `:v${count++}`;
        values[placeholder] = rest.shift() as AttributeValue;
        return placeholder;
      }),
    ];
  });
  return {
    ...(Object.fromEntries(rendered) as { ConditionExpression?: string; UpdateExpression?: string }),
    ...(Object.keys(names).length > 0 ? { ExpressionAttributeNames: names } : {}),
    ...(count > 0 ? { ExpressionAttributeValues: values } : {}),
  };
}
