import { setting } from './environment.ts';

const chargesUrl = new URL('/charges', setting('GATEWAY_URL'));

/** What the gateway is asked for. */
export interface Charge {
  readonly orderId: string;
  readonly merchantId: string;
  readonly amountCents: number;
}

/** What it answers. A refusal is for good, until someone at the gateway acts. */
export type Captured =
  | { readonly status: 'captured'; readonly chargeId: string }
  | { readonly status: 'refused'; readonly reason: string };

export interface CaptureOptions {
  /** The gateway charges once for one key, however often it is asked. */
  readonly idempotencyKey: string;
  readonly signal?: AbortSignal;
}

/** Takes the money. */
export async function capture(
  { orderId, merchantId, amountCents }: Charge,
  { idempotencyKey, signal }: CaptureOptions,
): Promise<Captured> {
  const response = await fetch(chargesUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
    body: JSON.stringify({ orderId, merchantId, amountCents }),
    ...(signal === undefined ? {} : { signal }),
  });
  const answer = (await response.json()) as { id: string; error: string };
  if (response.status === 422) return { status: 'refused', reason: answer.error };
  if (!response.ok) throw new Error(`the gateway answered ${response.status}`);
  return { status: 'captured', chargeId: answer.id };
}
