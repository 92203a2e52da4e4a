import { InvalidArgumentError } from 'commander';

/** Reads an option's number. Whether it is in range is for whoever uses it to say. */
export function numberOption(text: string): number {
  const number = Number(text);
  if (text.trim() === '' || !Number.isFinite(number)) throw new InvalidArgumentError('Give a number.');
  return number;
}
