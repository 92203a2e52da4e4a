import { expectWithin } from '../../expect-within.ts';
import { drawBelow, drawSome } from '../draw.ts';

/** What the demo is asked for. */
export interface DemoOptions {
  readonly messages: number;
  /** Worker processes of each consumer. */
  readonly workers: number;
  /** Workers of the payment consumer that are killed. */
  readonly kills: number;
  /** Orders the gateway refuses until someone acts. */
  readonly poison: number;
  readonly seed: number;
  /** Runs the naive handler instead, alone. */
  readonly withoutClaims: boolean;
}

export interface Order {
  readonly orderId: string;
  readonly merchantId: string;
  readonly amountCents: number;
}

/** Everything that is drawn by the seed, but for the duplicates. */
export interface Plan {
  readonly orders: readonly Order[];
  /** After so many charges a worker is killed, ascending. */
  readonly killAtCharge: readonly number[];
  /** Their refund is told of while they are being captured: it is early and has to wait. */
  readonly refunded: ReadonlySet<string>;
  /** These are voided when they are captured already: out of order for good, a no-op. */
  readonly voidedLate: ReadonlySet<string>;
  /** These belong to a merchant the gateway refuses. */
  readonly poison: ReadonlySet<string>;
}

/** The merchant the gateway has no account for. */
export const closedMerchant = 'merchant-new';

/**
 * The options, once each of them is possible.
 * @throws RangeError with the value got and what would do
 */
export function settleDemoOptions(given: Partial<DemoOptions> & Pick<DemoOptions, 'seed'>): DemoOptions {
  const options = { messages: 200, workers: 2, kills: 3, poison: 0, withoutClaims: false, ...given };
  const { messages, workers, kills, poison, seed, withoutClaims } = options;
  expectWithin('messages', messages, 1, 10_000);
  expectWithin('workers', workers, 1, 16);
  expectWithin('poison', poison, 0, withoutClaims ? 0 : messages - 1);
  // Half of the charges may come before the first kill, and each kill needs one of its own.
  expectWithin('kills', kills, 0, Math.floor((messages - poison) / 2));
  expectWithin('seed', seed, 0, Number.MAX_SAFE_INTEGER);
  return options;
}

const merchants = 20;
const refundedShare = 0.1;
const voidedLateShare = 0.1;

export function drawPlan({ messages, kills, poison, seed }: DemoOptions): Plan {
  const ids = Array.from({ length: messages }, (_, index) => `order-${index + 1}`);
  const poisoned = drawSome(seed, 'poison', ids, poison);
  const sound = ids.filter((id) => !poisoned.has(id));
  return {
    orders: ids.map((orderId) => ({
      orderId,
      merchantId: poisoned.has(orderId)
        ? closedMerchant
        : `merchant-${1 + drawBelow(seed, 'merchant', orderId, merchants)}`,
      amountCents: 100 + drawBelow(seed, 'amount', orderId, 20_000),
    })),
    killAtCharge: Array.from(
      { length: kills },
      (_, kill) => 1 + drawBelow(seed, 'kill', String(kill), Math.ceil(sound.length / 2)),
    ).sort((one, other) => one - other),
    refunded: drawSome(seed, 'refund', sound, Math.round(messages * refundedShare)),
    voidedLate: drawSome(seed, 'void', sound, Math.round(messages * voidedLateShare)),
    poison: poisoned,
  };
}
