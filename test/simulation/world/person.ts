import type { Message } from '@aws-sdk/client-sqs';
import { readDeadLetter } from '../../../lib/redrive/dead-letter.ts';
import { redrivenMessage } from '../../../lib/redrive/redriven-message.ts';
import type { Letter } from './letter.ts';
import type { Queue } from './queue.ts';
import type { Service } from './service.ts';
import { sendingOf } from './sqs.ts';
import type { World } from './world.ts';

/** Someone who brings messages back from a dead-letter queue. */
export class Person {
  readonly #world: World;
  readonly #service: Service;
  readonly #deadLetters: Queue;

  constructor(world: World, service: Service, deadLetters: Queue) {
    this.#world = world;
    this.#service = service;
    this.#deadLetters = deadLetters;
  }

  /** Comes by at times while things go wrong. */
  comeBy(times: number): void {
    const { agenda, dice, plan } = this.#world;
    for (let time = 0; time < times; time += 1) {
      agenda.after(dice.fraction() * plan.safetySeconds * 1_000, () => {
        const letters = this.#deadLetters.letters;
        if (letters.length > 0) this.redrive(dice.pick(letters));
      });
    }
  }

  /** Brings back what is there; what has come back before, only when its work can be done. */
  redriveAll(isFirstTime: boolean): void {
    for (const letter of this.#deadLetters.letters) {
      if (isFirstTime || this.#world.court.isGood(letter)) this.redrive(letter);
    }
  }

  redrive(letter: Letter): void {
    const { dice, faults, plan } = this.#world;
    const message = asReceived(letter);
    const dead = readDeadLetter(message, this.#world.agenda.nowMillis);
    // The console keeps our attribute and adds no mark. Of a message that has none it loses the message id.
    const byConsole = dice.percent(30) && (dead.once !== undefined || plan.keys === 'business');
    const { queue } = this.#service;
    const sent = queue.send(
      byConsole
        ? { body: letter.body, attributes: letter.attributes, groupId: letter.groupId }
        : sendingOf(redrivenMessage(dead, queue.url, undefined)),
    );
    this.#world.tell('person', `redrives ${letter.id}${byConsole ? ' by console' : ''} as ${sent.id}`);
    // Killed between sending and deleting: the next redrive sends it again.
    if (!faults.strikes(plan.rates.lostReply)) this.#deadLetters.remove(letter);
  }
}

/** A letter as the SDK hands it out. */
function asReceived(letter: Letter): Message {
  return {
    MessageId: letter.id,
    ReceiptHandle: '',
    Body: letter.body,
    Attributes: {
      SentTimestamp: String(Math.floor(letter.sentAtMillis)),
      ApproximateReceiveCount: String(letter.receives),
      ...(letter.groupId !== undefined ? { MessageGroupId: letter.groupId } : {}),
      ...(letter.movedFrom !== undefined ? { DeadLetterQueueSourceArn: letter.movedFrom } : {}),
    },
    MessageAttributes: Object.fromEntries(
      Object.entries(letter.attributes).map(([name, { dataType, stringValue }]) => [
        name,
        { DataType: dataType, ...(stringValue !== undefined ? { StringValue: stringValue } : {}) },
      ]),
    ),
  };
}
