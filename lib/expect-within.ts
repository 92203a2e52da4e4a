/**
 * Refuses an option that is no whole number within its range.
 * @throws RangeError with the value got and what would do
 */
export function expectWithin(name: string, value: number, least: number, most: number): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw new RangeError(`${name} is ${value}; give a whole number from ${least} to ${most}`);
}
