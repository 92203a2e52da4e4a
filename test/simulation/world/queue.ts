import type { SqsRecord } from '../../../lib/arrive/record.ts';
import type { Letter, Sending } from './letter.ts';
import type { World } from './world.ts';

const account = '000000000000';
const dedupMillis = 5 * 60_000;

/** No two deliveries have the same receipt, in whatever world. */
let receipts = 0;

export interface QueueOptions {
  readonly name: string;
  readonly visibilityMillis: number;
  /** Where SQS moves messages by itself, and after how many receives. */
  readonly deadLetters?: { readonly queue: Queue; readonly maxReceiveCount: number };
}

/** A queue with SQS's rules. */
export class Queue {
  readonly name: string;
  readonly arn: string;
  readonly url: string;
  readonly fifo: boolean;
  readonly deadLetters: QueueOptions['deadLetters'];
  readonly #world: World;
  readonly #visibilityMillis: number;
  readonly #letters = new Map<string, Letter>();
  readonly #byReceipt = new Map<string, Letter>();
  readonly #deduplication = new Map<string, { readonly untilMillis: number; readonly id: string }>();
  readonly #listeners: (() => void)[] = [];
  #places = 0;

  constructor(world: World, { name, visibilityMillis, deadLetters }: QueueOptions) {
    this.#world = world;
    this.name = name;
    this.fifo = name.endsWith('.fifo');
    this.arn = `arn:aws:sqs:us-east-1:${account}:${name}`;
    this.url = `https://sqs.us-east-1.amazonaws.com/${account}/${name}`;
    this.#visibilityMillis = visibilityMillis;
    this.deadLetters = deadLetters;
  }

  get letters(): readonly Letter[] {
    return [...this.#letters.values()];
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }

  send(sending: Sending): Letter | { readonly id: string } {
    const { agenda } = this.#world;
    const known = this.#deduplication.get(sending.deduplicationId ?? '');
    if (this.fifo && known !== undefined && known.untilMillis > agenda.nowMillis) return { id: known.id };
    const letter = this.#take({
      ...sending,
      id: this.#world.nextId('message'),
      place: 0,
      sentAtMillis: agenda.nowMillis,
      firstReceivedAtMillis: undefined,
      receives: 0,
      visibleAtMillis: agenda.nowMillis,
      receipt: undefined,
      movedFrom: undefined,
    });
    if (sending.deduplicationId !== undefined) {
      this.#deduplication.set(sending.deduplicationId, {
        untilMillis: agenda.nowMillis + dedupMillis,
        id: letter.id,
      });
    }
    return letter;
  }

  #take(letter: Letter): Letter {
    this.#places += 1;
    const taken = { ...letter, place: this.#places };
    this.#letters.set(taken.id, taken);
    this.#world.clerk.letterTaken(this, recordOf(taken, this.arn));
    this.#changed();
    return taken;
  }

  /** Puts a message back that was deleted already, as a standard queue may. */
  restore(letter: Letter): void {
    if (this.fifo || this.#letters.has(letter.id)) return;
    this.#letters.set(letter.id, letter);
    letter.visibleAtMillis = this.#world.agenda.nowMillis;
    this.#changed();
  }

  remove(letter: Letter): void {
    this.#letters.delete(letter.id);
    this.#changed();
  }

  receive(most: number): readonly SqsRecord[] {
    const records: SqsRecord[] = [];
    for (const letter of this.#receivable()) {
      if (records.length === most) break;
      if (this.deadLetters !== undefined && letter.receives >= this.deadLetters.maxReceiveCount) {
        this.#moveAway(letter, this.deadLetters.queue);
        // What stood behind it in its group may come next time.
        if (this.fifo) break;
        continue;
      }
      records.push(this.#handOut(letter));
    }
    return records;
  }

  /** A standard queue hands out in any order, a FIFO queue group by group from the first that is there. */
  #receivable(): readonly Letter[] {
    const visible = this.letters.filter(
      ({ visibleAtMillis }) => visibleAtMillis <= this.#world.agenda.nowMillis,
    );
    if (!this.fifo) return this.#world.dice.shuffled(visible);
    const blocked = new Set(
      this.letters.filter((letter) => !visible.includes(letter)).map(({ groupId }) => groupId),
    );
    return visible.filter(({ groupId }) => !blocked.has(groupId)).toSorted((a, b) => a.place - b.place);
  }

  #handOut(letter: Letter): SqsRecord {
    const { agenda, faults, dice, plan } = this.#world;
    receipts += 1;
    letter.receives += 1;
    letter.firstReceivedAtMillis ??= agenda.nowMillis;
    letter.receipt = `receipt ${receipts}`;
    const early = !this.fifo && faults.strikes(plan.rates.deliveredTwice);
    letter.visibleAtMillis =
      agenda.nowMillis + (early ? dice.spread(10, this.#visibilityMillis) : this.#visibilityMillis);
    this.#byReceipt.set(letter.receipt, letter);
    this.#wakeWhenVisible(letter);
    return recordOf(letter, this.arn);
  }

  #moveAway(letter: Letter, target: Queue): void {
    this.#world.tell(this.name, `moves ${letter.id} away after ${letter.receives} receives`);
    this.#letters.delete(letter.id);
    this.#world.facts.gone.add(letter.id);
    const { nowMillis } = this.#world.agenda;
    target.#take({
      ...letter,
      sentAtMillis: target.fifo ? nowMillis : letter.sentAtMillis,
      visibleAtMillis: nowMillis,
      receipt: undefined,
      movedFrom: this.arn,
    });
    this.#changed();
  }

  /** The message a receipt was handed out with. */
  messageOf(receipt: string): string | undefined {
    return this.#byReceipt.get(receipt)?.id;
  }

  /** The letter a receipt still counts for, if it does. */
  #heldBy(receipt: string): Letter | undefined {
    const letter = this.#byReceipt.get(receipt);
    if (letter === undefined || this.#letters.get(letter.id) !== letter) return undefined;
    const isLatest = letter.receipt === receipt;
    if (!this.fifo) return isLatest || this.#world.dice.percent(50) ? letter : undefined;
    return isLatest && letter.visibleAtMillis > this.#world.agenda.nowMillis ? letter : undefined;
  }

  delete(receipt: string): void {
    const { agenda, faults, dice, plan } = this.#world;
    const letter = this.#heldBy(receipt);
    if (letter === undefined || faults.strikes(plan.rates.deleteLost)) return;
    this.remove(letter);
    if (!this.fifo && faults.strikes(plan.rates.deleteLost)) {
      agenda.after(dice.spread(100, 600_000), () => this.restore(letter));
    }
  }

  /** Whether SQS took the new time. */
  changeVisibility(receipt: string, seconds: number): boolean {
    const letter = this.#heldBy(receipt);
    if (letter === undefined) return false;
    letter.visibleAtMillis = this.#world.agenda.nowMillis + seconds * 1_000;
    this.#wakeWhenVisible(letter);
    return true;
  }

  #wakeWhenVisible({ visibleAtMillis }: Letter): void {
    const { agenda } = this.#world;
    agenda.after(visibleAtMillis - agenda.nowMillis, () => this.#changed());
  }
}

function recordOf(letter: Letter, arn: string): SqsRecord {
  return {
    messageId: letter.id,
    receiptHandle: letter.receipt ?? '',
    body: letter.body,
    attributes: {
      ApproximateReceiveCount: String(letter.receives),
      SentTimestamp: String(Math.floor(letter.sentAtMillis)),
      ApproximateFirstReceiveTimestamp: String(Math.floor(letter.firstReceivedAtMillis ?? 0)),
      ...(letter.groupId !== undefined ? { MessageGroupId: letter.groupId } : {}),
    },
    messageAttributes: letter.attributes,
    eventSource: 'aws:sqs',
    eventSourceARN: arn,
    awsRegion: 'us-east-1',
  };
}
