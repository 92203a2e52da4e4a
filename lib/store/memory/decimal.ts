import { validationError } from './dynamo-error.ts';

/**
 * A number as DynamoDB keeps it: `coefficient` times ten to the `exponent`, exact to 38 digits, without
 * trailing zeros in the coefficient. A fence or a 64-bit id never loses its last digits on the way.
 */
export interface Decimal {
  readonly coefficient: bigint;
  readonly exponent: number;
}

const form = /^([+-]?)(?:(\d+)\.?(\d*)|\.(\d+))(?:[eE]([+-]?\d+))?$/;

const mostDigits = 38;
/** Of the leading digit. */
const exponentRange = { least: -130, most: 125 };

/** @throws a `ValidationException` for what is no number, or none that DynamoDB can store */
export function decimalFrom(text: string): Decimal {
  const match = form.exec(text);
  if (match === null) throw validationError('The parameter cannot be converted to a numeric value');
  const [, sign, whole = '', fraction = match[4] ?? '', , exponent = '0'] = match;
  const digits = BigInt(whole + fraction);
  return storable(sign === '-' ? -digits : digits, Number(exponent) - fraction.length);
}

export function decimalText({ coefficient, exponent }: Decimal): string {
  const sign = coefficient < 0n ? '-' : '';
  const digits = digitsOf(coefficient);
  if (exponent >= 0) return sign + digits + '0'.repeat(exponent);
  const padded = digits.padStart(1 - exponent, '0');
  return `${sign}${padded.slice(0, exponent)}.${padded.slice(exponent)}`;
}

/** @throws a `ValidationException` when the sum needs more than 38 digits or leaves the range */
export function sum(left: Decimal, right: Decimal): Decimal {
  const exponent = Math.min(left.exponent, right.exponent);
  return storable(scaled(left, exponent) + scaled(right, exponent), exponent);
}

export function negated({ coefficient, exponent }: Decimal): Decimal {
  return { coefficient: -coefficient, exponent };
}

/** Negative, zero or positive, as `left` is less than, equal to or greater than `right`. */
export function compareDecimals(left: Decimal, right: Decimal): number {
  const exponent = Math.min(left.exponent, right.exponent);
  const difference = scaled(left, exponent) - scaled(right, exponent);
  if (difference === 0n) return 0;
  return difference < 0n ? -1 : 1;
}

/** DynamoDB's own estimate: one byte for two digits, one for the number and one for a sign. */
export function decimalBytes({ coefficient }: Decimal): number {
  if (coefficient === 0n) return 1;
  return 1 + Math.ceil(digitsOf(coefficient).length / 2) + (coefficient < 0n ? 1 : 0);
}

function storable(coefficient: bigint, exponent: number): Decimal {
  if (coefficient === 0n) return { coefficient, exponent: 0 };
  const digits = digitsOf(coefficient);
  const significant = digits.replace(/0+$/, '');
  const leading = exponent + digits.length - 1;
  if (leading > exponentRange.most) {
    throw validationError(
      'Number overflow. Attempting to store a number with magnitude larger than supported range',
    );
  }
  if (leading < exponentRange.least) {
    throw validationError(
      'Number underflow. Attempting to store a number with magnitude smaller than supported range',
    );
  }
  if (significant.length > mostDigits) {
    throw validationError('Attempting to store more than 38 significant digits in a Number');
  }
  const trimmed = BigInt(significant);
  return {
    coefficient: coefficient < 0n ? -trimmed : trimmed,
    exponent: exponent + digits.length - significant.length,
  };
}

function digitsOf(coefficient: bigint): string {
  return (coefficient < 0n ? -coefficient : coefficient).toString();
}

function scaled({ coefficient, exponent }: Decimal, toExponent: number): bigint {
  return coefficient * 10n ** BigInt(exponent - toExponent);
}
