import { rowKey } from '../../lib/arrive/row-key.ts';
import type { Order } from './handlers/capture.ts';
import { type Item, Outside } from './outside.ts';
import type { Outputs } from './stack.ts';

/** The deployed consumer, seen from outside. */
export class Deployment {
  readonly outputs: Outputs;
  readonly outside: Outside;

  constructor(outputs: Outputs, endpoint: string | undefined) {
    this.outputs = outputs;
    this.outside = new Outside(endpoint);
  }

  async send(order: Order, times = 1): Promise<void> {
    for (let time = 0; time < times; time += 1) await this.sendText(JSON.stringify(order));
  }

  sendText(body: string): Promise<void> {
    return this.outside.send(this.outputs.Queue, body);
  }

  /** How often the handler ran for an order. */
  async runs(orderId: string): Promise<number> {
    const item = await this.outside.item(this.outputs.Runs, { orderId });
    return Number(item?.runs ?? 0);
  }

  capture(orderId: string): Promise<Item | undefined> {
    return this.outside.item(this.outputs.Captures, { orderId });
  }

  claim(orderId: string): Promise<Item | undefined> {
    return this.outside.item(this.outputs.Claims, { claim: rowKey('capture', orderId) });
  }

  /** The rights the product's own calls needed, as `action@resource`. */
  async rightsUsed(): Promise<string[]> {
    const items = await this.outside.items(this.outputs.Runs);
    return items
      .map(({ orderId }) => String(orderId))
      .filter((id) => id.startsWith('used:'))
      .map((id) => id.slice('used:'.length));
  }

  untilIdle(): Promise<void> {
    return this.outside.untilIdle(this.outputs.Queue);
  }

  drain(queue: 'DeadLetterQueue' | 'Receipts'): ReturnType<Outside['drain']> {
    return this.outside.drain(this.outputs[queue]);
  }
}
