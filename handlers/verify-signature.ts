import { createHmac, timingSafeEqual } from 'node:crypto';

export interface SignatureOptions {
  readonly secret: string;
  /** The header with `t=<seconds>,v1=<hex>`: when it was signed, and the HMAC-SHA256 of `<seconds>.<body>`. */
  readonly header: string;
  /** How old a signature may be, in seconds. @default 300 */
  readonly toleranceSeconds?: number;
}

interface SignedEvent {
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string | null;
  readonly isBase64Encoded?: boolean;
}

/** A Middy middleware that answers 401 to whatever its sender has not signed, or signed too long ago. */
export function verifySignature({ secret, header, toleranceSeconds = 300 }: SignatureOptions) {
  return {
    before({ event }: { event: unknown }): { statusCode: number } | undefined {
      const { headers = {}, body, isBase64Encoded } = event as SignedEvent;
      const bytes = Buffer.from(body ?? '', isBase64Encoded === true ? 'base64' : 'utf8');
      const name = Object.keys(headers).find((given) => given.toLowerCase() === header);
      const [, at = '', given = ''] = /^t=(\d+),v1=([0-9a-f]+)$/.exec(headers[name ?? ''] ?? '') ?? [];
      const isFresh = Math.abs(Date.now() / 1_000 - Number(at)) <= toleranceSeconds;
      const wanted = createHmac('sha256', secret).update(`${at}.`).update(bytes).digest();
      return isFresh && isEqual(Buffer.from(given, 'hex'), wanted) ? undefined : { statusCode: 401 };
    },
  };
}

/** In a time that tells nothing of where they differ. */
function isEqual(left: Buffer, right: Buffer): boolean {
  return left.length === right.length && timingSafeEqual(left, right);
}
