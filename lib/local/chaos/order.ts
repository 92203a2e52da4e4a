/** What a message of the built-in consumer asks for. */
export interface Order {
  readonly orderId: string;
  readonly merchantId: string;
  readonly amountCents: number;
}

/** The built-in consumer's namespace of keys. */
export const paymentScope = 'chaos-payments';

/** The merchant the gateway has no account for. */
export const closedMerchant = 'merchant-closed';
