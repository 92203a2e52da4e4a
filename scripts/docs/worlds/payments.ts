// The consumer behind the outputs of docs/parking.md, as a Lambda function.
import { consumeOnce, PoisonMessageError } from '../../../lib/index.ts';

export const handler = consumeOnce<{ orderId: string; currency: string }>(
  {
    scope: 'capture-payment',
    key: ({ body }) => body.orderId,
    backoff: { minSeconds: 0, maxSeconds: 0 },
    partialResponses: true,
  },
  ({ body: { currency } }) => {
    if (currency === 'XXX') throw new PoisonMessageError('no such currency');
    if (currency === 'JPY') throw new TypeError('cannot read the minor unit of JPY');
  },
);
