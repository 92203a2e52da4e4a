import type { ClaimStore } from '../../lib/store/port.ts';
import type { Attributes } from '../../lib/store/table.ts';

/** A store under test, with hands on the tables beneath it and on the way to them. */
export interface Bench {
  readonly store: ClaimStore;
  /** The claim row that stands in the table, past the store. */
  item(rowKey: string): Promise<Attributes | undefined>;
  /** A row of the user's table `orders`, whose key is `id`. */
  order(id: string): Promise<Attributes | undefined>;
  /** Puts a claim row, whatever stood there. */
  seed(item: Attributes): Promise<void>;
  /** Deletes a claim row, as TTL does. */
  sweep(rowKey: string): Promise<void>;
  /** The next call reaches the table; its answer does not come back. */
  loseNextReply(): void;
  /** The next calls do not reach the table and are answered with this error. */
  failNext(name: string, times?: number, more?: object): void;
  /** Takes back what was to go wrong and has not yet. */
  forgive(): void;
  /** The next call never ends by itself. */
  hangNext(): void;
  /** Calls made so far, lost and failed ones too. */
  calls(): number;
  close(): Promise<void>;
}

export type OpenBench = () => Promise<Bench>;
