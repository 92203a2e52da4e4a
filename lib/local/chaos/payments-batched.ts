import { consumeOnce, dynamoClaims } from '../../index.ts';
import { pay, paymentOptions } from './payment.ts';

/** The built-in consumer with claims that travel together. */
export const handler = consumeOnce({ ...paymentOptions, claims: dynamoClaims({ batching: true }) }, pay);
