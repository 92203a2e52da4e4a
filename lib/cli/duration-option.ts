import { InvalidArgumentError } from 'commander';

const secondsIn: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** Reads a duration such as `4d`, `12h`, `90m`, `30s` or `1d12h`, in whole seconds. */
export function durationOption(text: string): number {
  if (!/^(\d+[smhd])+$/.test(text)) {
    throw new InvalidArgumentError('Give a number with its unit: 4d, 12h, 90m or 30s.');
  }
  return [...text.matchAll(/(\d+)([smhd])/g)].reduce(
    (seconds, [, number, unit = '']) => seconds + Number(number) * (secondsIn[unit] ?? 0),
    0,
  );
}
