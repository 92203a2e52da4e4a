import { PoisonMessageError } from '../lib/index.ts';
import { setting } from './environment.ts';

const chargesUrl = new URL('/charges', setting('GATEWAY_URL'));

/** What the gateway charges. */
export interface Charge {
  readonly orderId: string;
  readonly merchantId: string;
  readonly amountCents: number;
}

export interface CaptureOptions {
  /** The gateway charges once for one key, however often it is asked. */
  readonly idempotencyKey: string;
  readonly signal?: AbortSignal;
}

/** Takes the money; answers the charge's id. */
export async function capture(
  { orderId, merchantId, amountCents }: Charge,
  { idempotencyKey, signal }: CaptureOptions,
): Promise<{ readonly id: string }> {
  const response = await fetch(chargesUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
    body: JSON.stringify({ orderId, merchantId, amountCents }),
    ...(signal === undefined ? {} : { signal }),
  });
  const answer = (await response.json()) as { id: string; error: string };
  // No retry changes a refusal, so a person has to look at it.
  if (response.status === 422) throw new PoisonMessageError(`the gateway refuses: ${answer.error}`);
  if (!response.ok) throw new Error(`the gateway answered ${response.status}`);
  return { id: answer.id };
}
