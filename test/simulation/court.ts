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
import type { Nature, RowChange, Run, Work } from './facts.ts';
import type { Law, UserWrites } from './laws/law.ts';
import { laws } from './laws/laws.ts';
import { isFailure } from './laws/runs.ts';
import { bodyOf, namesOf } from './names.ts';
import type { Sending } from './world/letter.ts';
import type { Process } from './world/process.ts';
import type { Queue } from './world/queue.ts';
import type { Body } from './world/service.ts';
import type { World } from './world/world.ts';

/** A broken law. */
export interface Violation {
  readonly law: string;
  readonly how: string;
}

/** Shows everything that happens to the laws, and keeps the facts. */
export class Court {
  violation: Violation | undefined;
  readonly #world: World;
  readonly #laws: readonly Law[];
  /** What a process told last before it called its handler. */
  readonly #starting = new Map<Process, OnceEvent>();

  constructor(world: World) {
    this.#world = world;
    this.#laws = laws.map((law) => law(world, (name, how) => this.accuse(name, how)));
  }

  /** The first broken law ends the world. */
  accuse(law: string, how: string): void {
    this.#world.tell('law', `${law} is broken: ${how}`);
    this.violation ??= { law, how };
  }

  letterTaken(queue: Queue, record: SqsRecord): void {
    const { facts } = this.#world;
    const service = this.#world.services.find(
      (candidate) => candidate.queue === queue || candidate.queue.deadLetters?.queue === queue,
    );
    if (service === undefined) return;
    const names = namesOf(service.scope, record, service.key);
    const body = bodyOf(record.body);
    facts.letters.set(record.messageId, {
      id: record.messageId,
      queue: queue.name,
      names,
      payload: body?.payload,
      mark: redriveMarkOf(onceAttributeOf(record))?.id,
    });
    if (names.keyed !== undefined && service.queue === queue)
      facts.add(names.keyed, service.scope, this.#natureOf(body));
  }

  /** Whether nothing but chance can have brought a message where it is. */
  isGood({ body }: Sending): boolean {
    const read = bodyOf(body);
    return read !== undefined && this.#natureOf(read) === 'good';
  }

  #natureOf(body: Body | undefined): Nature {
    return this.#world.natures.get(body?.work ?? '') ?? 'good';
  }

  rowChanged(change: RowChange): void {
    const { after, writer } = change;
    this.#world.tell(
      writer,
      `${after.claim}: ${change.before?.status ?? 'absent'} → ${after.status}, fence ${after.fence}, attempts ${after.attempts}${after.reason === undefined ? '' : `, ${after.reason}`}`,
    );
    for (const law of this.#laws) law.rowChanged?.(change);
    this.#world.facts.record(change);
  }

  committed(change: RowChange, writes: UserWrites): void {
    for (const law of this.#laws) law.committed?.(change, writes);
  }

  runStarted(process: Process, message: Message<Body>, attempt: Attempt): Run {
    const service = this.#world.services.find(({ processes }) => processes.includes(process));
    const work = this.#world.facts.of(rowKey(service?.scope ?? '', message.key));
    const starting = this.#starting.get(process);
    if (starting?.messageId !== message.record.messageId) this.accuse('L15', 'a handler got another message');
    const run: Run = {
      id: `${process.name}:${this.#world.nextId('run')}`,
      work,
      process,
      messageId: message.record.messageId,
      number: attempt.number,
      claim: work.claims.findLast(
        ({ fence, process: owner }) => fence === starting?.fence && owner === process.name,
      ),
      era: work.era,
      end: 'running',
      error: undefined,
      collected: false,
      leftBehind: false,
    };
    this.#world.tell(process.name, `runs ${message.key}, attempt ${attempt.number}, as ${run.id}`);
    for (const law of this.#laws) law.runStarted?.(run);
    work.runs.push(run);
    process.onEnd(() => {
      if (run.end !== 'running' && run.end !== 'crashed') return;
      run.end = 'crashed';
      this.runEnded(run);
    });
    return run;
  }

  runEnded(run: Run): void {
    const told =
      run.end === 'threw' ? `threw ${run.error instanceof Error ? run.error.message : ''}` : run.end;
    this.#world.tell(run.process.name, `${run.id} ${told}`);
    if (isFailure(run) && run.era === run.work.era) run.work.failedRuns += 1;
  }

  told(process: Process, event: OnceEvent): void {
    if (event.type === 'starting') this.#starting.set(process, event);
    if (event.type === 'failed' && /was still running/.test(event.error?.message ?? ''))
      this.#leaveBehind(process, event);
    if (event.type === 'duplicate') this.#world.facts.duplicates.add(event.messageId ?? '');
    this.#world.tell(
      process.name,
      `· ${event.type} ${event.messageId ?? ''} ${event.reason ?? ''} ${event.error?.message ?? ''}`,
    );
    const work = [...this.#world.facts.works.values()].find(({ keyHash }) => keyHash === event.keyHash);
    for (const law of this.#laws) law.told?.(process, event, work);
  }

  /** A handler that did not stop in time goes on, and nobody waits for it. */
  #leaveBehind(process: Process, { messageId }: OnceEvent): void {
    for (const { runs } of this.#world.facts.works.values()) {
      const run = runs.findLast(
        (candidate) => candidate.process === process && candidate.messageId === messageId,
      );
      if (run?.end === 'running') run.leftBehind = true;
    }
  }

  effectAsked(run: Run, name: string, key: string): void {
    for (const law of this.#laws) law.effectAsked?.(run, name, key);
  }

  parkingSent(process: Process, sending: Sending): void {
    for (const law of this.#laws) law.parkingSent?.(process, parkIdIn(sending));
  }

  parkingAccepted(process: Process, sending: Sending, id: string): void {
    this.#world.tell(process.name, `the dead-letter queue takes ${id}`);
    this.#world.facts.parkingsAccepted.add(parkIdIn(sending) ?? '');
  }

  followUpSent(process: Process, sending: Sending): void {
    for (const law of this.#laws) law.followUpSent?.(process, followUpIn(sending));
  }

  followUpAccepted(process: Process, sending: Sending): void {
    const key = followUpIn(sending) ?? '';
    this.#world.tell(process.name, `a follow-up is out: ${sending.body}`);
    for (const law of this.#laws) law.followUpAccepted?.(key);
    this.#world.facts.followUpsAccepted.add(key);
  }

  acknowledged(process: Process, record: SqsRecord): void {
    const { facts } = this.#world;
    const letter = facts.letters.get(record.messageId);
    if (letter === undefined) throw new Error(`${record.messageId} was never sent`);
    for (const law of this.#laws) law.acknowledged?.(process, letter);
    facts.gone.add(record.messageId);
  }

  duplicateAnswered(process: Process, scope: string, key: string, outcome: Outcome): void {
    const work: Work = this.#world.facts.of(rowKey(scope, key));
    // It shares what became of its first in this event, which nobody could be told.
    if (work.unrecordedBy.has(process.name)) return;
    for (const law of this.#laws) law.duplicateAnswered?.(work, outcome);
  }

  /** An invocation failed as a whole. Without partial responses it may; else nothing in a world asks for it. */
  failed(error: unknown): void {
    const expected =
      !this.#world.plan.partialResponses && error instanceof Error && / were returned/.test(error.message);
    if (!expected) this.accuse('L7', `an invocation failed: ${error instanceof Error ? error.stack : error}`);
  }

  ended(): void {
    for (const law of this.#laws) law.ended?.();
  }
}

function parkIdIn(sending: Sending): string | undefined {
  return onceIn(sending)?.parkId;
}

function followUpIn(sending: Sending): string | undefined {
  return onceIn(sending)?.followUp;
}

function onceIn({ attributes }: Sending) {
  return readOnceAttribute(attributes[onceAttributeName]?.stringValue);
}
