import { drawBelow, drawSome, fraction } from '../draw.ts';
import type { ChaosOptions } from './options.ts';
import { closedMerchant, type Order } from './order.ts';
import type { CrashPointName } from './points.ts';

interface Due {
  /** When so many messages are acknowledged. */
  readonly dueAt: number;
  /** From 0 to 1: decides what else has to be drawn. */
  readonly fraction: number;
}

/** Against a worker, while it runs an invocation. */
export interface Assault extends Due {
  readonly kind: 'kill' | 'pause';
}

/** Against the next call to AWS. */
export interface Breakage extends Due {
  readonly kind: 'drop' | 'delay';
}

/** Against the first worker that gets to a point. */
export interface Crash extends Due {
  readonly kind: 'crash';
  readonly point: CrashPointName;
}

export type Mischief = Assault | Breakage | Crash;

/** Everything that is drawn by the seed, but for the duplicates. */
export interface Plan {
  readonly orders: readonly Order[];
  /** These belong to a merchant the gateway refuses. */
  readonly poison: ReadonlySet<string>;
  /** In the order in which it is due. */
  readonly mischief: readonly Mischief[];
}

const ordersOfMerchant = 25;
const poisonShare = 0.01;

export function drawPlan(options: ChaosOptions): Plan {
  const { messages, seed } = options;
  const ids = Array.from({ length: messages }, (_, index) => `order-${index + 1}`);
  const poison = drawSome(seed, 'poison', ids, poisonCount(options));
  const merchants = Math.max(4, Math.ceil(messages / ordersOfMerchant));
  return {
    poison,
    orders: ids.map((orderId, index) => ({
      orderId,
      merchantId: poison.has(orderId) ? closedMerchant : `merchant-${(index % merchants) + 1}`,
      amountCents: 100 + drawBelow(seed, 'amount', orderId, 20_000),
    })),
    mischief: drawMischief(options),
  };
}

/** Enough to crash while parking. A handler of the user's knows no poison, one without claims parks none. */
function poisonCount({ messages, crashAt, crashTimes, handler, broken }: ChaosOptions): number {
  if (handler !== undefined || broken === 'no-claims') return 0;
  const needed = crashAt.includes('parking') ? 4 + 4 * crashTimes : 0;
  return Math.min(Math.floor(messages / 4), Math.max(Math.round(messages * poisonShare), needed));
}

/** Of the way: the rest is there for what was disturbed to come to its end. */
const disturbedShare = 0.8;
/** Poison is rare, so that what waits for it has to wait early. */
const parkingShare = 0.3;

function drawMischief(options: ChaosOptions): Mischief[] {
  const { messages, seed, kills, pauses, drops, crashAt, crashTimes } = options;
  const due = (what: string, index: number, share: number) =>
    Math.floor(fraction(seed, what, 'due', index) * messages * share);
  const some = <Kind extends Exclude<Mischief['kind'], 'crash'>>(kind: Kind, count: number) =>
    Array.from({ length: count }, (_, index) => ({
      kind,
      dueAt: due(kind, index, disturbedShare),
      fraction: fraction(seed, kind, index),
    }));
  const crashes = crashAt.flatMap((point): Mischief[] =>
    Array.from({ length: crashTimes }, (_, index) => ({
      kind: 'crash',
      point,
      dueAt: due(point, index, point === 'parking' ? parkingShare : disturbedShare),
      fraction: fraction(seed, point, index),
    })),
  );
  return [
    ...some('kill', kills),
    ...some('pause', pauses),
    ...some('drop', drops),
    ...some('delay', drops),
    ...crashes,
  ].sort((one, other) => one.dueAt - other.dueAt);
}
