import { compareDecimals } from './decimal.ts';
import type { Item, Value } from './value.ts';

/** Equal types and equal values; sets and maps in any order. Anything else is different, a missing value too. */
export function isEqual(left: Value | undefined, right: Value | undefined): boolean {
  if (left === undefined || right === undefined) return false;
  if (left.type === 'L' && right.type === 'L') {
    const others = right.value;
    return (
      left.value.length === others.length &&
      left.value.every((element, index) => isEqual(element, others[index]))
    );
  }
  if (left.type === 'M' && right.type === 'M') return sameMembers(left.value, right.value);
  if (isSet(left) && isSet(right)) return sameMembers(left.value, right.value);
  if (left.type === 'BOOL' && right.type === 'BOOL') return left.value === right.value;
  if (left.type === 'NULL' && right.type === 'NULL') return true;
  return order(left, right) === 0;
}

function sameMembers(left: Item, right: Item): boolean {
  return left.size === right.size && [...left].every(([name, value]) => isEqual(value, right.get(name)));
}

/**
 * Negative, zero or positive for two strings, two numbers or two binaries. Nothing else has an order, values
 * of different types neither.
 */
export function order(left: Value | undefined, right: Value | undefined): number | undefined {
  if (left?.type === 'N' && right?.type === 'N') return compareDecimals(left.value, right.value);
  // JavaScript orders strings by UTF-16 units, DynamoDB by their UTF-8 bytes.
  if (left?.type === 'S' && right?.type === 'S') {
    return Buffer.compare(Buffer.from(left.value), Buffer.from(right.value));
  }
  if (left?.type === 'B' && right?.type === 'B') return Buffer.compare(left.value, right.value);
  return undefined;
}

export type SetValue = Extract<Value, { type: 'SS' | 'NS' | 'BS' }>;

export function isSet(value: Value): value is SetValue {
  return value.type === 'SS' || value.type === 'NS' || value.type === 'BS';
}
