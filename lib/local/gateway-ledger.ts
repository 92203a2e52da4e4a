/** What a caller asks the gateway for. */
export interface ChargeRequest {
  readonly orderId: string;
  readonly merchantId: string;
  readonly amountCents: number;
}

/** Money taken. */
export interface LedgerCharge extends ChargeRequest {
  readonly id: string;
}

/** Everything the gateway remembers. */
export interface Ledger {
  readonly charges: readonly LedgerCharge[];
  /** Charge requests by order, those answered from memory included. */
  readonly callsByOrder: Readonly<Record<string, number>>;
}

export type ChargeAnswer =
  | { readonly status: 'charged'; readonly charge: LedgerCharge }
  /** The key was used before for the same request: the same answer, no money taken. */
  | { readonly status: 'remembered'; readonly charge: LedgerCharge }
  | { readonly status: 'refused'; readonly error: string };

/** A payment gateway's memory: one charge for one idempotency key. Refusals are not remembered. */
export class GatewayLedger {
  readonly #closedMerchants: Set<string>;
  readonly #byKey = new Map<string, LedgerCharge>();
  readonly #callsByOrder = new Map<string, number>();

  constructor(closedMerchants: readonly string[]) {
    this.#closedMerchants = new Set(closedMerchants);
  }

  charge(idempotencyKey: string, request: ChargeRequest): ChargeAnswer {
    const { orderId, merchantId, amountCents } = request;
    this.#callsByOrder.set(orderId, (this.#callsByOrder.get(orderId) ?? 0) + 1);
    const before = this.#byKey.get(idempotencyKey);
    if (before !== undefined) {
      return before.orderId === orderId && before.amountCents === amountCents
        ? { status: 'remembered', charge: before }
        : { status: 'refused', error: 'the idempotency key was used for another charge' };
    }
    if (this.#closedMerchants.has(merchantId)) {
      return { status: 'refused', error: 'the merchant has no account yet' };
    }
    const charge = { id: `ch-${this.#byKey.size + 1}`, orderId, merchantId, amountCents };
    this.#byKey.set(idempotencyKey, charge);
    return { status: 'charged', charge };
  }

  openMerchant(merchantId: string): void {
    this.#closedMerchants.delete(merchantId);
  }

  read(): Ledger {
    return { charges: [...this.#byKey.values()], callsByOrder: Object.fromEntries(this.#callsByOrder) };
  }
}
