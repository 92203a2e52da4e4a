/** What a row of the report says of many samples. */
export interface Spread {
  readonly median: number;
  readonly lowest: number;
  readonly highest: number;
}

/** Median with the middle half around it, so that one disturbed round does not show as an extreme. */
export function spreadOf(samples: readonly number[]): Spread {
  return {
    median: quantile(samples, 0.5),
    lowest: quantile(samples, 0.25),
    highest: quantile(samples, 0.75),
  };
}

export function quantile(samples: readonly number[], part: number): number {
  const sorted = [...samples].sort((left, right) => left - right);
  const place = (sorted.length - 1) * part;
  const below = sorted[Math.floor(place)];
  const above = sorted[Math.ceil(place)];
  if (below === undefined || above === undefined) throw new RangeError('there are no samples');
  return below + (above - below) * (place - Math.floor(place));
}
