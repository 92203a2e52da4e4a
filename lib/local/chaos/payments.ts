import { consumeOnce } from '../../index.ts';
import { pay, paymentOptions } from './payment.ts';

/** The built-in consumer. */
export const handler = consumeOnce(paymentOptions, pay);
