import { decimalBytes } from './decimal.ts';
import type { Item, Value } from './value.ts';

export const largestItemBytes = 400 * 1_024;

/** What DynamoDB counts against its limit: the names and the values, in UTF-8. */
export function itemBytes(item: Item): number {
  return total([...item].map(([name, value]) => Buffer.byteLength(name) + valueBytes(value)));
}

export function valueBytes(value: Value): number {
  switch (value.type) {
    case 'S':
      return Buffer.byteLength(value.value);
    case 'N':
      return decimalBytes(value.value);
    case 'B':
      return value.value.length;
    case 'BOOL':
    case 'NULL':
      return 1;
    case 'SS':
    case 'NS':
    case 'BS':
      return total([...value.value.values()].map(valueBytes));
    case 'L':
      return 3 + value.value.length + total(value.value.map(valueBytes));
    case 'M':
      return 3 + value.value.size + itemBytes(value.value);
  }
}

function total(sizes: readonly number[]): number {
  return sizes.reduce((sum, size) => sum + size, 0);
}
