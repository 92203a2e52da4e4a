import { createHash } from 'node:crypto';
import type { Duplicate } from './poller.ts';
import { receiveCountOf } from './record.ts';

/** Options of {@link seededDuplicates}. */
export interface DuplicateOptions {
  /** Share of the deliveries that come twice, 0 to 1. */
  readonly probability: number;
  /** The same seed gives the same duplicates for the same message bodies, in whatever order they come. */
  readonly seed: string | number;
  /**
   * The second delivery comes at most this long after the first; many come while it still runs.
   * @default 200
   */
  readonly withinMillis?: number;
}

/** Decides by seed and message which deliveries come twice. The emulator by itself never repeats one. */
export function seededDuplicates(options: DuplicateOptions): Duplicate {
  const { probability, seed, withinMillis = 200 } = options;
  return (record) => {
    const hash = createHash('sha256')
      .update(JSON.stringify([seed, record.body, receiveCountOf(record)]))
      .digest();
    const fraction = (offset: number) => hash.readUInt32BE(offset) / 2 ** 32;
    return fraction(0) < probability ? Math.floor(fraction(4) * withinMillis) : undefined;
  };
}
