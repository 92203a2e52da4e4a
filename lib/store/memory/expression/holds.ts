import { isEqual, isSet, order } from '../compare.ts';
import { type Item, scalarText, type Value } from '../value.ts';
import type { Comparator, Condition, Operand } from './condition.ts';
import { valueAt } from './path.ts';

/** Whether the condition holds for the item. Where no item stands, that is an item without attributes. */
export function holds(condition: Condition, item: Item): boolean {
  switch (condition.kind) {
    case 'and':
      return holds(condition.left, item) && holds(condition.right, item);
    case 'or':
      return holds(condition.left, item) || holds(condition.right, item);
    case 'not':
      return !holds(condition.condition, item);
    case 'group':
      return holds(condition.condition, item);
    case 'compare':
      return compares(condition.comparator, resolve(condition.left, item), resolve(condition.right, item));
    case 'between': {
      const value = resolve(condition.operand, item);
      return (
        compares('>=', value, resolve(condition.low, item)) &&
        compares('<=', value, resolve(condition.high, item))
      );
    }
    case 'in': {
      const value = resolve(condition.operand, item);
      return condition.options.some((option) => isEqual(value, resolve(option, item)));
    }
    case 'exists':
      return valueAt(item, condition.path) !== undefined;
    case 'not-exists':
      return valueAt(item, condition.path) === undefined;
    case 'type':
      return resolve(condition.operand, item)?.type === condition.type;
    case 'begins-with':
      return beginsWith(resolve(condition.operand, item), resolve(condition.prefix, item));
    case 'contains':
      return contains(resolve(condition.operand, item), resolve(condition.member, item));
    default:
      return condition satisfies never;
  }
}

function resolve(operand: Operand, item: Item): Value | undefined {
  if (operand.kind === 'path') return valueAt(item, operand.path);
  if (operand.kind === 'value') return operand.value;
  const size = sizeOf(resolve(operand.of, item));
  return size === undefined ? undefined : { type: 'N', value: { coefficient: BigInt(size), exponent: 0 } };
}

/** A string counts UTF-16 units, a binary bytes, everything else members. A scalar has no size. */
function sizeOf(value: Value | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (value.type === 'S' || value.type === 'B' || value.type === 'L') return value.value.length;
  if (value.type === 'M' || isSet(value)) return value.value.size;
  return undefined;
}

/** A missing value differs from everything, another missing one too, and has no order. */
function compares(comparator: Comparator, left: Value | undefined, right: Value | undefined): boolean {
  if (comparator === '=') return isEqual(left, right);
  if (comparator === '<>') return !isEqual(left, right);
  const difference = order(left, right);
  if (difference === undefined) return false;
  switch (comparator) {
    case '<':
      return difference < 0;
    case '<=':
      return difference <= 0;
    case '>':
      return difference > 0;
    case '>=':
      return difference >= 0;
  }
}

function beginsWith(value: Value | undefined, prefix: Value | undefined): boolean {
  if (value?.type === 'S' && prefix?.type === 'S') return value.value.startsWith(prefix.value);
  if (value?.type !== 'B' || prefix?.type !== 'B') return false;
  return value.value.subarray(0, prefix.value.length).equals(prefix.value);
}

function contains(value: Value | undefined, member: Value | undefined): boolean {
  if (value === undefined || member === undefined) return false;
  if (value.type === 'S') return member.type === 'S' && value.value.includes(member.value);
  if (value.type === 'B') return member.type === 'B' && value.value.includes(member.value);
  if (value.type === 'L') return value.value.some((element) => isEqual(element, member));
  if (!isSet(value) || (member.type !== 'S' && member.type !== 'N' && member.type !== 'B')) return false;
  return isEqual(value.value.get(scalarText(member)), member);
}
