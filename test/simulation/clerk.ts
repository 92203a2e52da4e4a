import {
  onceAttributeName,
  onceAttributeOf,
  readOnceAttribute,
  redriveMarkOf,
} from '../../lib/arrive/once-attribute.ts';
import type { SqsRecord } from '../../lib/arrive/record.ts';
import { rowKey } from '../../lib/arrive/row-key.ts';
import type { Attempt } from '../../lib/handle/attempt.ts';
import type { OnceEvent } from '../../lib/observe/events.ts';
import type { Message } from '../../lib/options.ts';
import type { Outcome } from '../../lib/settle/outcome.ts';
import type { Nature, RowChange, Run } from './facts.ts';
import type { UserWrites } from './laws/law.ts';
import { isFailure } from './laws/runs.ts';
import { bodyOf, namesOf } from './names.ts';
import type { Sending } from './world/letter.ts';
import type { Process } from './world/process.ts';
import type { Queue } from './world/queue.ts';
import type { Body } from './world/service.ts';
import type { World } from './world/world.ts';

/** Takes down what happens in a world, for its timeline and its facts, and lays it before the court. */
export class Clerk {
  readonly #world: World;
  /** What a process told when it was about to run a message, by both. */
  readonly #starting = new Map<string, OnceEvent>();
  /** The message a process was about to run last. */
  readonly #startedLast = new Map<Process, string>();

  constructor(world: World) {
    this.#world = world;
  }

  letterTaken(queue: Queue, record: SqsRecord): void {
    const { facts, services } = this.#world;
    const service = services.find(({ queue: own }) => own === queue || own.deadLetters?.queue === queue);
    if (service === undefined) return;
    const names = namesOf(service.scope, record, service.key);
    const body = bodyOf(record.body);
    const once = onceAttributeOf(record);
    const mark = redriveMarkOf(once);
    if (facts.letters.has(record.messageId)) facts.movedAway.add(names.unkeyed);
    facts.letters.set(record.messageId, {
      id: record.messageId,
      queue: queue.name,
      groupId: record.attributes.MessageGroupId,
      names,
      payload: body?.payload,
      mark: mark?.id,
      // A FIFO queue forgets a message's age when it takes it over from another; who had it before still knows.
      oldestMillis: Math.min(
        facts.letters.get(record.messageId)?.oldestMillis ?? Number.POSITIVE_INFINITY,
        Number(record.attributes.SentTimestamp),
        once?.sentAt ?? Number.POSITIVE_INFINITY,
        once?.firstClaimedAt ?? Number.POSITIVE_INFINITY,
      ),
    });
    if (names.keyed !== undefined && service.queue === queue) {
      facts.add(names.keyed, service.scope, this.#natureOf(body));
    }
  }

  /** Whether a message can still be done: nothing but chance has brought it where it is. */
  isGood({ id }: { readonly id: string }): boolean {
    const { facts } = this.#world;
    const letter = facts.letters.get(id);
    const work = facts.works.get(letter?.names.keyed ?? '');
    if (work === undefined || letter === undefined || !facts.isOpen(work)) return false;
    const first = facts.letters.get((work.outcome ?? work.row)?.messageId ?? '');
    return first === undefined || first.payload === letter.payload;
  }

  #natureOf(body: Body | undefined): Nature {
    return this.#world.natures.get(body?.work ?? '') ?? 'good';
  }

  rowChanged(change: RowChange): void {
    const { before, after, writer } = change;
    const reason = after.reason === undefined ? '' : `, ${after.reason}`;
    this.#world.tell(
      writer,
      `${after.claim}: ${before?.status ?? 'absent'} → ${after.status}, fence ${after.fence}, attempts ${after.attempts}${reason}`,
    );
    this.#world.court.hear('rowChanged', change);
    this.#world.facts.record(change);
  }

  committed(change: RowChange, writes: UserWrites): void {
    this.#world.court.hear('committed', change, writes);
  }

  /** A process was given a message, and until when it may work on it. */
  given(process: Process, { messageId }: SqsRecord, endsAtMillis: number | undefined): void {
    const { facts, agenda } = this.#world;
    const both = `${process.name} ${messageId}`;
    if (endsAtMillis !== undefined) {
      facts.deadlines.set(both, [...(facts.deadlines.get(both) ?? []), endsAtMillis]);
    }
    facts.told.delete(both);
    if (!facts.givenSince.has(both)) facts.givenSince.set(both, agenda.nowMillis);
  }

  /** A handler was called with a message, right after the engine said so. */
  keySeen(process: Process, { key, record }: Message<Body>): void {
    const { facts, court, services } = this.#world;
    const service = services.find(({ processes }) => processes.includes(process));
    const isIts = facts.letters.get(record.messageId)?.names.keyed === rowKey(service?.scope ?? '', key);
    if (!isIts || this.#startedLast.get(process) !== record.messageId) {
      court.accuse('L15', 'a handler got another message');
    }
  }

  runStarted(process: Process, messageId: string, attempt: Attempt): Run {
    const { facts } = this.#world;
    const work = facts.of(facts.letters.get(messageId)?.names.keyed ?? '');
    const starting = this.#starting.get(`${process.name} ${messageId}`);
    const run: Run = {
      id: `${process.name}:${this.#world.nextId('run')}`,
      work,
      process,
      messageId,
      number: attempt.number,
      claim: work.claims.findLast(
        ({ fence, process: holder }) => fence === starting?.fence && holder === process.name,
      ),
      era: work.era,
      toldToStop: attempt.signal.aborted,
      end: 'running',
      error: undefined,
      collected: false,
      leftBehind: false,
    };
    this.#world.tell(process.name, `runs ${work.rowKey}, attempt ${attempt.number}, as ${run.id}`);
    this.#world.court.hear('runStarted', run);
    work.runs.push(run);
    process.onEnd(() => {
      if (run.end !== 'running' && run.end !== 'crashed') return;
      run.end = 'crashed';
      this.runEnded(run);
    });
    return run;
  }

  runEnded(run: Run): void {
    const error = run.error instanceof Error ? ` ${run.error.message}` : '';
    this.#world.tell(run.process.name, `${run.id} ${run.end}${run.end === 'threw' ? error : ''}`);
    if (isFailure(run) && run.era === run.work.era) run.work.failedRuns += 1;
  }

  told(process: Process, event: OnceEvent): void {
    const { facts } = this.#world;
    const { type, messageId = '', reason, error } = event;
    if (type === 'starting') {
      this.#starting.set(`${process.name} ${messageId}`, event);
      this.#startedLast.set(process, messageId);
    }
    if (type === 'failed' && /was still running/.test(error?.message ?? ''))
      this.#leaveBehind(process, messageId);
    if (type === 'duplicate') facts.duplicates.add(messageId);
    this.#world.tell(process.name, ['·', type, messageId, reason, error?.message].filter(Boolean).join(' '));
    const work = [...facts.works.values()].find(({ keyHash }) => keyHash === event.keyHash);
    this.#world.court.hear('told', process, event, work);
    facts.told.set(`${process.name} ${messageId}`, { event, atMillis: this.#world.agenda.nowMillis });
  }

  /** A handler that did not stop in time goes on, and nobody waits for it. */
  #leaveBehind(process: Process, messageId: string): void {
    for (const { runs } of this.#world.facts.works.values()) {
      const run = runs.findLast((started) => started.process === process && started.messageId === messageId);
      if (run?.end === 'running') run.leftBehind = true;
    }
  }

  effectAsked(run: Run, name: string, key: string): void {
    this.#world.court.hear('effectAsked', run, name, key);
  }

  visibilityAsked(process: Process, messageId: string, seconds: number): void {
    this.#world.tell(process.name, `wants ${messageId} back in ${seconds} s`);
    this.#world.court.hear('visibilityAsked', process, messageId, seconds);
  }

  parkingSent(process: Process, sending: Sending): void {
    this.#world.court.hear('parkingSent', process, onceIn(sending)?.parkId);
  }

  parkingAccepted(process: Process, sending: Sending, id: string): void {
    this.#world.tell(process.name, `the dead-letter queue takes ${id}`);
    this.#world.facts.parkingsAccepted.add(onceIn(sending)?.parkId ?? '');
  }

  followUpSent(process: Process, sending: Sending): void {
    this.#world.court.hear('followUpSent', process, onceIn(sending)?.followUp);
  }

  followUpAccepted(process: Process, sending: Sending): void {
    const key = onceIn(sending)?.followUp ?? '';
    this.#world.tell(process.name, `a follow-up is out: ${sending.body}`);
    this.#world.court.hear('followUpAccepted', key);
    this.#world.facts.followUpsAccepted.add(key);
  }

  acknowledged(process: Process, record: SqsRecord): void {
    const { facts, court } = this.#world;
    const letter = facts.letters.get(record.messageId);
    if (letter === undefined) throw new Error(`${record.messageId} was never sent`);
    court.hear('acknowledged', process, letter);
    facts.gone.add(record.messageId);
  }

  duplicateAnswered(process: Process, scope: string, key: string, outcome: Outcome): void {
    const work = this.#world.facts.of(rowKey(scope, key));
    // It shares what became of its first in this event, which nobody could be told.
    if (work.unrecordedBy.has(process.name)) return;
    this.#world.court.hear('duplicateAnswered', work, outcome);
  }

  /** An invocation failed as a whole. Without partial responses it may; else nothing in a world asks for it. */
  failed(error: unknown): void {
    const { plan, court } = this.#world;
    const text = error instanceof Error ? `${error.name}: ${error.message}\n${error.stack}` : String(error);
    if (!plan.partialResponses && / were returned/.test(text)) return;
    if (plan.form === 'whole event' && text.startsWith('TimeoutError')) return;
    court.accuse('L7', `an invocation failed: ${text}`);
  }
}

function onceIn({ attributes }: Sending) {
  return readOnceAttribute(attributes[onceAttributeName]?.stringValue);
}
