import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Attributes } from '../table.ts';
import { type Decimal, decimalFrom, decimalText } from './decimal.ts';
import { validationError } from './dynamo-error.ts';

export type Scalar =
  | { readonly type: 'S'; readonly value: string }
  | { readonly type: 'N'; readonly value: Decimal }
  | { readonly type: 'B'; readonly value: Buffer };

/** The members of a set, each under its {@link scalarText}. */
export type SetMembers = ReadonlyMap<string, Scalar>;

/**
 * An attribute value as the table keeps it: checked, its numbers exact, and never changed in place. So items
 * may share parts, and a copy is made only where a value enters or leaves the table.
 */
export type Value =
  | Scalar
  | { readonly type: 'SS' | 'NS' | 'BS'; readonly value: SetMembers }
  | { readonly type: 'BOOL'; readonly value: boolean }
  | { readonly type: 'NULL'; readonly value: true }
  | { readonly type: 'L'; readonly value: readonly Value[] }
  | { readonly type: 'M'; readonly value: Item };

export type Item = ReadonlyMap<string, Value>;

export type ValueType = Value['type'];

export const valueTypes: readonly string[] = ['S', 'SS', 'N', 'NS', 'B', 'BS', 'BOOL', 'NULL', 'L', 'M'];

/** Lists and maps inside each other; one more is refused. */
const deepestNesting = 31;

/** @throws a `ValidationException` for a value DynamoDB would not take */
export function itemFrom(attributes: Attributes, depth = 0): Item {
  return new Map(Object.entries(attributes).map(([name, value]) => [name, valueFrom(value, depth)]));
}

/** @throws a `ValidationException` for a value DynamoDB would not take */
export function valueFrom(attribute: AttributeValue, depth = 0): Value {
  const given = Object.values(attribute).filter((member) => member !== undefined).length;
  if (given > 1) {
    throw validationError(
      'Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes',
    );
  }
  if (attribute.S !== undefined) return { type: 'S', value: attribute.S };
  if (attribute.N !== undefined) return { type: 'N', value: decimalFrom(attribute.N) };
  if (attribute.B !== undefined) return { type: 'B', value: Buffer.from(attribute.B) };
  if (attribute.BOOL !== undefined) return { type: 'BOOL', value: attribute.BOOL };
  if (attribute.NULL !== undefined) return nullFrom(attribute.NULL);
  if (attribute.SS !== undefined) return setFrom('SS', attribute.SS.map(textScalar));
  if (attribute.NS !== undefined) return setFrom('NS', attribute.NS.map(numberScalar));
  if (attribute.BS !== undefined) return setFrom('BS', attribute.BS.map(bytesScalar));
  if (attribute.L !== undefined) {
    const inner = nested(depth);
    return { type: 'L', value: attribute.L.map((element) => valueFrom(element, inner)) };
  }
  if (attribute.M !== undefined) return { type: 'M', value: itemFrom(attribute.M, nested(depth)) };
  throw validationError(
    'Supplied AttributeValue is empty, must contain exactly one of the supported datatypes',
  );
}

function nested(depth: number): number {
  if (depth >= deepestNesting) {
    throw validationError(
      'Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit',
    );
  }
  return depth + 1;
}

function nullFrom(given: boolean): Value {
  if (given) return { type: 'NULL', value: true };
  throw validationError(
    'One or more parameter values were invalid: Null attribute value types must have the value of true',
  );
}

const textScalar = (value: string): Scalar => ({ type: 'S', value });
const numberScalar = (value: string): Scalar => ({ type: 'N', value: decimalFrom(value) });
const bytesScalar = (value: Uint8Array): Scalar => ({ type: 'B', value: Buffer.from(value) });

function setFrom(type: 'SS' | 'NS' | 'BS', scalars: readonly Scalar[]): Value {
  const members = new Map(scalars.map((scalar) => [scalarText(scalar), scalar]));
  if (members.size === 0) {
    throw validationError('One or more parameter values were invalid: A set may not be empty');
  }
  if (members.size < scalars.length) {
    throw validationError('One or more parameter values were invalid: Input collection contains duplicates');
  }
  return { type, value: members };
}

/** The same text for the same value, another for another. */
export function scalarText(scalar: Scalar): string {
  if (scalar.type === 'N') return decimalText(scalar.value);
  return scalar.type === 'B' ? scalar.value.toString('base64') : scalar.value;
}

export function itemToAttributes(item: Item): Attributes {
  return Object.fromEntries([...item].map(([name, value]) => [name, valueToAttribute(value)]));
}

function valueToAttribute(value: Value): AttributeValue {
  switch (value.type) {
    case 'S':
      return { S: value.value };
    case 'N':
      return { N: decimalText(value.value) };
    case 'B':
      return { B: Uint8Array.from(value.value) };
    case 'BOOL':
      return { BOOL: value.value };
    case 'NULL':
      return { NULL: true };
    case 'SS':
      return { SS: [...value.value.keys()] };
    case 'NS':
      return { NS: [...value.value.keys()] };
    case 'BS':
      return { BS: [...value.value.keys()].map((text) => Uint8Array.from(Buffer.from(text, 'base64'))) };
    case 'L':
      return { L: value.value.map(valueToAttribute) };
    case 'M':
      return { M: itemToAttributes(value.value) };
  }
}
