import type { SqsRecord } from '../../arrive/record.ts';
import type { RunnerEvent } from '../events.ts';
import type { Runner } from '../runner.ts';
import type { LossyProxy } from './lossy-proxy.ts';
import type { Assault, Breakage, Mischief } from './plan.ts';
import type { Blow, CrashPointName } from './points.ts';
import { createSleepers, isSleeper } from './sleepers.ts';
import { type Arming, isCrashStep, isOutcomeStep, isSleepStep } from './words.ts';

/** What the director can do to the world. */
export interface Hands {
  readonly runner: Pick<Runner, 'kill' | 'pause' | 'resume' | 'tell'>;
  readonly proxy: Pick<LossyProxy, 'breakNext'>;
}

/** Does the planned mischief when it is due, by how many messages are acknowledged. */
export interface Director {
  readonly kills: number;
  readonly pauses: number;
  readonly crashes: ReadonlyMap<CrashPointName, number>;
  hear(event: RunnerEvent): void;
  /** Lets go of every timer and continues whoever is stopped. */
  stop(): void;
}

export interface DirectorOptions {
  readonly mischief: readonly Mischief[];
  readonly workers: number;
  /** How long a worker is stopped, drawn between these. */
  readonly pauseMillis: readonly [least: number, most: number];
  /** Which messages come twice, where workers tell when they settle: there a sleeper can be overtaken. */
  readonly comesTwice?: ((record: SqsRecord) => boolean) | undefined;
  readonly hands: () => Hands;
}

const longestDelayMillis = 2_000;
/** Whoever sleeps over a message is woken when another has finished it, and in any case after this. */
const longestSleepMillis = 25_000;

export function createDirector(options: DirectorOptions): Director {
  const { mischief, workers, pauseMillis, comesTwice, hands } = options;
  const wishes: Assault[] = [];
  const blows: Blow[] = [];
  const crashes = new Map<CrashPointName, number>();
  /** Request ids by worker. */
  const running = new Map<number, string>();
  const paused = new Map<number, NodeJS.Timeout>();
  const overtakes = comesTwice !== undefined;
  const sleepers = createSleepers(comesTwice ?? (() => false), (worker, lullaby) =>
    hands().runner.tell(worker, lullaby),
  );
  const timers = new Set<NodeJS.Timeout>();
  const mostPaused = Math.max(1, Math.floor(workers / 2));
  // A short run has time for one pause only, and it is the sleeper that shows what a fence is for.
  const placesForSleepers = overtakes ? 1 : 0;
  let next = 0;
  let acknowledged = 0;
  let usualMillis = 100;
  let kills = 0;
  let pauses = 0;

  function goOn(): void {
    let armed = false;
    for (let due = mischief[next]; due !== undefined && due.dueAt <= acknowledged; due = mischief[next]) {
      next += 1;
      switch (due.kind) {
        case 'kill':
        case 'pause':
          wishes.push(due);
          break;
        case 'crash':
          blows.push(due);
          armed = true;
          break;
        default:
          breakNext(due);
      }
    }
    if (armed) armAll();
  }

  function armAll(): void {
    for (let worker = 0; worker < workers; worker += 1) arm(worker);
  }

  function breakNext({ kind, fraction }: Breakage): void {
    // The table is called more often than the queue.
    const service = fraction < 0.7 ? 'dynamo' : 'sqs';
    const millis = fraction * longestDelayMillis;
    hands().proxy.breakNext({
      service,
      fault: kind === 'delay' ? { kind, millis } : { kind: 'drop-reply' },
    });
  }

  /** A worker is armed with one blow a point, and whoever is first strikes. */
  function arm(worker: number): void {
    const armed = [...new Map(blows.map((blow) => [blow.point, blow])).values()];
    hands().runner.tell(worker, { type: 'sqs-once', armed } satisfies Arming);
  }

  function crashed(point: CrashPointName): void {
    crashes.set(point, (crashes.get(point) ?? 0) + 1);
    const used = blows.findLastIndex((blow) => blow.point === point);
    if (used !== -1) blows.splice(used, 1);
    armAll();
  }

  /** Some time into the invocation; a wish that comes too late waits for another. */
  function aim(worker: number, requestId: string): void {
    const wish = taken(
      (one) => !(overtakes && isSleeper(one)) && (one.kind === 'kill' || mayPause(placesForSleepers)),
    );
    if (wish === undefined) return;
    const timer = setTimeout(() => {
      timers.delete(timer);
      if (running.get(worker) !== requestId || !grant(worker, wish)) wishes.push(wish);
    }, wish.fraction * usualMillis);
    timers.add(timer);
  }

  function grant(worker: number, { kind, fraction }: Assault): boolean {
    if (paused.has(worker)) return false;
    if (kind === 'kill') {
      kills += 1;
      running.delete(worker);
      hands().runner.kill(worker);
      return true;
    }
    if (paused.size >= mostPaused) return false;
    const [least, most] = pauseMillis;
    pause(worker, least + fraction * (most - least));
    return true;
  }

  function pause(worker: number, millis: number): void {
    pauses += 1;
    hands().runner.pause(worker);
    paused.set(worker, setTimeout(resume, millis, worker));
  }

  function mayPause(kept = 0): boolean {
    return paused.size + sleepers.count < mostPaused - kept;
  }

  /** The first wish of this sort, which is one no longer. */
  function taken(isIt: (wish: Assault) => boolean): Assault | undefined {
    const place = wishes.findIndex(isIt);
    return place === -1 ? undefined : wishes.splice(place, 1)[0];
  }

  /** It has stopped by itself; the runner has to know, who counts its time. */
  function fellAsleep(worker: number): void {
    sleepers.fellAsleep(worker);
    if (!paused.has(worker)) pause(worker, longestSleepMillis);
  }

  /** Somebody finished a message; whoever sleeps over it learns now that it is too late. */
  function finished(messageId: string | undefined): void {
    const worker = sleepers.overtaken(messageId);
    if (worker !== undefined && paused.has(worker)) resume(worker);
  }

  function idle(worker: number): void {
    const wish = sleepers.missed(worker);
    if (wish !== undefined) wishes.push(wish);
  }

  function resume(worker: number): void {
    clearTimeout(paused.get(worker));
    paused.delete(worker);
    hands().runner.resume(worker);
  }

  function ended(worker: number, durationMillis: number): void {
    running.delete(worker);
    idle(worker);
    usualMillis += (durationMillis - usualMillis) / 20;
  }

  return {
    get kills() {
      return kills;
    },
    get pauses() {
      return pauses;
    },
    crashes,
    hear(event) {
      switch (event.type) {
        case 'worker-ready':
          // A fresh worker is armed with nothing.
          if (blows.length > 0) arm(event.worker);
          return;
        case 'delivered':
          goOn();
          running.set(event.worker, event.requestId);
          sleepers.delivered(event.worker, event.deliveries, () =>
            overtakes && mayPause() ? taken(isSleeper) : undefined,
          );
          // A second copy comes alone and mostly does nothing; there is more to hit in a batch.
          if (event.deliveries.some(({ duplicated }) => !duplicated)) aim(event.worker, event.requestId);
          return;
        case 'step':
          if (isCrashStep(event.step)) crashed(event.step.crashed);
          if (isSleepStep(event.step)) fellAsleep(event.worker);
          if (isOutcomeStep(event.step) && event.step.event === 'completed') finished(event.step.messageId);
          return;
        case 'worker-ended':
          return idle(event.worker);
        case 'failed':
          return ended(event.worker, event.durationMillis);
        case 'answered': {
          ended(event.worker, event.durationMillis);
          acknowledged += event.acknowledged.length;
          if (!blows.some(({ point }) => point === 'after-answer')) return;
          crashed('after-answer');
          return hands().runner.kill(event.worker);
        }
      }
    },
    stop() {
      for (const timer of timers) clearTimeout(timer);
      for (const worker of paused.keys()) resume(worker);
    },
  };
}
