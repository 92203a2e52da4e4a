import { vi } from 'vitest';
import { callerScope } from '../../lib/arrive/row-key.ts';
import type { InvocationContext } from '../../lib/handle/deadline.ts';
import * as product from '../../lib/receiver.ts';
import type { ReceiverOptions, RequestHandler } from '../../lib/receiver-options.ts';
import type { ClaimRow } from '../../lib/words.ts';
import { type Asked, eventOf, type Kind, type Told, toldBy } from './http-events.ts';
import { type Middy, middys, type World } from './rig.ts';
import { unprintable } from './unprintable.ts';

/** The receiver's faces; a broken twin brings its own. */
export type Receivers = Pick<typeof product, 'receiveOnce' | 'idempotentReceiver' | 'receiveHttp'>;

/** The receivers with one module's exports replaced: a twin without the guard that lives there. */
export async function receiversWithout(
  module: string,
  replacement: Record<string, unknown>,
): Promise<Receivers> {
  const path = `../../lib/${module}`;
  vi.resetModules();
  vi.doMock(path, async (original) => ({ ...((await original()) as object), ...replacement }));
  try {
    return await import('../../lib/receiver.ts');
  } finally {
    vi.doUnmock(path);
    vi.resetModules();
  }
}

export type ReceiverFace = 'receiveOnce' | 'Middy 7' | 'Middy 6';
export const receiverFaces: readonly ReceiverFace[] = ['receiveOnce', 'Middy 7', 'Middy 6'];

export type Ask = (asked?: Asked, context?: InvocationContext) => Promise<Told>;

type Options = Partial<ReceiverOptions<never>>;

/** Options of a receiver in a world of tests. */
export function receiverOptions(world: World, more: Options = {}): ReceiverOptions<never> {
  return {
    scope: world.scope,
    caller: 'public',
    claims: world.claims,
    sqs: world.sqs as NonNullable<ReceiverOptions['sqs']>,
    observers: [world.seen.observer],
    ...more,
  } as ReceiverOptions<never>;
}

/** A receiver, asked the way its senders ask. */
export function receiver(
  world: World,
  handler: RequestHandler<never>,
  {
    face = 'receiveOnce',
    kind = 'function URL',
    receivers = product,
    ...more
  }: Options & { readonly face?: ReceiverFace; readonly kind?: Kind; readonly receivers?: Receivers } = {},
): Ask {
  const options = receiverOptions(world, more);
  const lambda = faced(options, handler, face, receivers);
  return async (asked, context) => toldBy(kind, await lambda(eventOf(kind, asked), context ?? {}));
}

function faced(
  options: ReceiverOptions<never>,
  handler: RequestHandler<never>,
  face: ReceiverFace,
  receivers: Receivers,
): (event: unknown, context: unknown) => Promise<unknown> {
  if (face === 'receiveOnce') return receivers.receiveOnce(options, handler);
  const middy = new Map(middys).get(face) as Middy;
  const guard = receivers.idempotentReceiver(options);
  const lambda = middy().use(guard).handler(guard.eachRequest(handler));
  return (event, context) => lambda(event as never, context as never) as Promise<unknown>;
}

/** An existing handler of events under the middleware. */
export function around(
  middy: Middy,
  world: World,
  handler: (event: never) => unknown,
  { kind = 'function URL', ...more }: Options & { readonly kind?: Kind } = {},
): Ask {
  const lambda = middy(handler as never).use(product.idempotentReceiver(receiverOptions(world, more)));
  return async (asked, context) =>
    toldBy(kind, await lambda(eventOf(kind, asked) as never, (context ?? {}) as never));
}

/** The header that names a key. */
export function keyed(key: string): Pick<Asked, 'headers'> {
  return { headers: [['Idempotency-Key', unprintable(key)]] };
}

/** The row of a key of the only caller there is. */
export function requestRow(w: World, key: string, caller = ''): ClaimRow | undefined {
  return w.row(unprintable(key), callerScope(w.scope, caller));
}
