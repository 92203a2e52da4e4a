import type { Message } from '@aws-sdk/client-sqs';
import type { Ambient } from '../../../lib/ambient.ts';
import { leaseIsOver } from '../../../lib/lease.ts';
import { readDeadLetter } from '../../../lib/redrive/dead-letter.ts';
import { redrivenMessage } from '../../../lib/redrive/redriven-message.ts';
import type { ClaimRow } from '../../../lib/words.ts';
import type { Letter } from './letter.ts';
import type { Queue } from './queue.ts';
import type { Service } from './service.ts';
import { sendingOf } from './sqs.ts';
import { claimTable } from './tables.ts';
import type { World } from './world.ts';

/** Someone who brings messages back from a dead-letter queue. */
export class Person {
  readonly #world: World;
  readonly #service: Service;
  readonly #deadLetters: Queue;
  readonly #ambient: Ambient;

  constructor(world: World, service: Service, deadLetters: Queue) {
    this.#world = world;
    this.#service = service;
    this.#deadLetters = deadLetters;
    this.#ambient = {
      wallMillis: () => Math.floor(world.agenda.nowMillis),
      monotonicMillis: () => world.agenda.nowMillis,
      after: (millis, task) => world.agenda.after(millis, task),
      chance: () => world.dice.fraction(),
      randomId: () => `person/${world.nextId('release')}`,
    };
  }

  /** Comes by at times while things go wrong. */
  comeBy(times: number): void {
    const { agenda, dice, plan } = this.#world;
    for (let time = 0; time < times; time += 1) {
      agenda.after(dice.fraction() * plan.safetySeconds * 1_000, () => {
        if (plan.boldPeople && dice.percent(50)) return this.#release();
        const letters = this.#deadLetters.letters;
        if (letters.length > 0) this.redrive(dice.pick(letters));
        return undefined;
      });
    }
  }

  /**
   * Lets go of a claim that nobody works under: for another attempt, or, where that is offered, for good. A person
   * thinks before answering, and the row may change meanwhile.
   */
  #release(): void {
    const { dice, facts, agenda, engine, tables } = this.#world;
    const idle = [...facts.works.values()].flatMap(({ scope, row }) =>
      scope === this.#service.scope && row !== undefined && this.#mayLetGo(row) ? [row] : [],
    );
    if (idle.length === 0) return;
    const row = dice.pick(idle);
    const store = engine.claimStore(tables.behind('person'), claimTable, this.#ambient);
    const way =
      row.status !== 'parked' && dice.percent(row.reason === undefined ? 10 : 50) ? 'letGo' : 'reopen';
    agenda.after(dice.spread(1_000, 60_000), async () => {
      this.#world.tell('person', `${way} ${row.claim}`);
      await store[way](row, this.#ambient.randomId(), agenda.nowMillis, { timeoutMillis: 1_000 });
    });
  }

  /** What `claims release` does without being asked twice. */
  #mayLetGo({ status, leaseEndsAt }: ClaimRow): boolean {
    if (status === 'leased') return leaseIsOver(leaseEndsAt, this.#world.agenda.nowMillis);
    return status === 'released' || status === 'parked';
  }

  /** Brings back what is there; what has come back before, only when its work can be done. */
  redriveAll(isFirstTime: boolean): void {
    const { letters } = this.#deadLetters;
    for (const letter of isFirstTime ? letters : this.#world.dice.shuffled(letters)) {
      if (isFirstTime || this.#world.clerk.isGood(letter)) this.redrive(letter);
    }
  }

  redrive(letter: Letter): void {
    const { agenda, dice, faults, plan } = this.#world;
    const message = asReceived(letter);
    const dead = readDeadLetter(message, agenda.nowMillis);
    // The console keeps our attribute and adds no mark. Of a message that has none it loses the message id.
    const byConsole = dice.percent(30) && (dead.once !== undefined || plan.keys === 'business');
    const effects =
      plan.boldPeople && plan.claim === 'first' && dice.percent(30)
        ? Math.floor(agenda.nowMillis)
        : undefined;
    const { queue } = this.#service;
    const sent = queue.send(
      byConsole
        ? { body: letter.body, attributes: letter.attributes, groupId: letter.groupId }
        : sendingOf(redrivenMessage(dead, queue.url, effects)),
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
