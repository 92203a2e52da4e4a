// Small alphabets on purpose: values meet again, so that conditions hold about as often as not.
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import fc, { type Arbitrary } from 'fast-check';

const oneOf = fc.constantFrom;
const numbers = [
  '0',
  '1',
  '2',
  '-1',
  '10',
  '1.50',
  '-0.25',
  '1e3',
  '9007199254740993',
  '9223372036854775807',
];
const texts = ['', 'a', 'ab', 'b', 'é', '😀', '\uffff'];
const bytes = ['', 'a', 'ab', '\u00ff'].map((text) => Uint8Array.from(Buffer.from(text, 'latin1')));

export const numberValue: Arbitrary<AttributeValue> = oneOf(...numbers).map((N) => ({ N }));
export const textValue: Arbitrary<AttributeValue> = oneOf(...texts).map((S) => ({ S }));
export const bytesValue: Arbitrary<AttributeValue> = oneOf(...bytes).map((B) => ({ B }));
export const orderedValue = fc.oneof(numberValue, textValue, bytesValue);
export const setValue: Arbitrary<AttributeValue> = fc.oneof(
  fc.uniqueArray(oneOf('a', 'b', 'ab'), { minLength: 1 }).map((SS) => ({ SS })),
  fc.uniqueArray(oneOf('1', '2', '10'), { minLength: 1 }).map((NS) => ({ NS })),
  fc.uniqueArray(oneOf(...bytes), { minLength: 1, selector: String }).map((BS) => ({ BS })),
);
export const flatValue: Arbitrary<AttributeValue> = fc.oneof(
  { weight: 4, arbitrary: orderedValue },
  setValue,
  fc.boolean().map((BOOL) => ({ BOOL })),
  fc.constant({ NULL: true as const }),
);
export const listOf = (element: Arbitrary<AttributeValue>): Arbitrary<AttributeValue> =>
  fc.array(element, { maxLength: 3 }).map((L) => ({ L }));
const mapOf = (member: Arbitrary<AttributeValue>): Arbitrary<AttributeValue> =>
  fc.dictionary(oneOf('x', 'y'), member, { maxKeys: 2 }).map((M) => ({ M: { ...M } }));
const innerValue = fc.oneof({ weight: 3, arbitrary: flatValue }, listOf(flatValue), mapOf(flatValue));
export const anyValue = fc.oneof({ weight: 2, arbitrary: flatValue }, listOf(innerValue), mapOf(innerValue));

const usually = (usual: Arbitrary<AttributeValue>) => fc.oneof({ weight: 9, arbitrary: usual }, anyValue);
const model = {
  u: usually(numberValue),
  v: usually(textValue),
  w: usually(setValue),
  l: usually(listOf(innerValue)),
  m: usually(mapOf(innerValue)),
};
/** Attributes with a usual type each, and now and then another. */
export const attributes = fc
  .oneof({ weight: 3, arbitrary: fc.record(model) }, fc.record(model, { requiredKeys: [] }))
  .map((record): Record<string, AttributeValue> => ({ ...record }));
