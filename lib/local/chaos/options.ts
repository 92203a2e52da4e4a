import { expectWithin } from '../../expect-within.ts';
import { type CrashPointName, crashPointNames } from './points.ts';

/** Consumers with a guard removed, to prove that the harness can fail. */
export const brokenNames = ['no-fence', 'no-claims', 'ack-first'] as const;
export type BrokenName = (typeof brokenNames)[number];

/** What chaos is asked for. */
export interface ChaosOptions {
  readonly messages: number;
  readonly workers: number;
  readonly seed: number;
  /** Workers killed at random moments while they run. */
  readonly kills: number;
  /** Workers stopped for longer than their lease, then continued. */
  readonly pauses: number;
  /** Calls that land and whose replies are lost; as many more are held back for a while. */
  readonly drops: number;
  /** Share of the deliveries that come a second time, 0 to 1. */
  readonly duplicateShare: number;
  /** Points at which workers end, and how often at each. */
  readonly crashAt: readonly CrashPointName[];
  readonly crashTimes: number;
  readonly fifo: boolean;
  /** Whether the built-in consumer's claims travel together (`dynamoClaims({ batching: true })`). */
  readonly batching: boolean;
  /** Time a function has, whole seconds. */
  readonly timeoutSeconds: number;
  /** `path.export` of the handler to run instead of the built-in consumer. */
  readonly handler?: string;
  /** `path.export` of a function from a message's number to its body. */
  readonly body?: string;
  /** `path.export` of a function that looks for divergences. */
  readonly check?: string;
  /** `name:key` of tables the handler needs. */
  readonly tables: readonly string[];
  readonly broken?: BrokenName;
}

/** What of that may be left out. Without any mischief asked for, there is all of it. */
export type GivenChaosOptions = Pick<ChaosOptions, 'seed'> & {
  readonly [Name in keyof ChaosOptions]?: ChaosOptions[Name] | undefined;
};

/** How much mischief there is for so many messages, when nobody says. */
export function usualMischief(messages: number) {
  return {
    kills: Math.ceil(messages / 50),
    pauses: Math.min(messages, Math.max(6, Math.ceil(messages / 200))),
    drops: Math.ceil(messages / 50),
    duplicateShare: 0.25,
    crashTimes: Math.min(20, Math.max(1, Math.round(messages / 250))),
  };
}

/** A missing guard shows only where it is needed, so a broken consumer meets more of what that takes. */
function unkind(messages: number) {
  return { pauses: Math.min(messages, Math.max(16, Math.ceil(messages / 50))), duplicateShare: 0.7 };
}

const kinds = ['kills', 'pauses', 'drops', 'duplicateShare', 'crashAt'] as const;

/**
 * The options, once each of them is possible.
 * @throws RangeError or Error with the command's option, the value got and what would do
 */
export function settleChaosOptions(options: GivenChaosOptions): ChaosOptions {
  const given = withoutUndefined(options);
  const { messages = 500, crashAt = [] } = given;
  expectWithin('--messages', messages, 1, 1_000_000);
  const usual = usualMischief(messages);
  const asked = kinds.some((kind) => given[kind] !== undefined);
  const mischief = asked
    ? { kills: 0, pauses: 0, drops: 0, duplicateShare: 0, crashAt, crashTimes: usual.crashTimes }
    : { ...usual, ...(given.broken === undefined ? {} : unkind(messages)), crashAt: crashPointNames };
  const settled = {
    workers: 4,
    fifo: false,
    batching: false,
    timeoutSeconds: 12,
    tables: [],
    ...mischief,
    ...given,
    messages,
  };
  expectWithin('--workers', settled.workers, 1, 64);
  expectWithin('--seed', settled.seed, 0, Number.MAX_SAFE_INTEGER);
  expectWithin('--kill-worker-mid-handler', settled.kills, 0, messages);
  expectWithin('--pause-workers', settled.pauses, 0, messages);
  expectWithin('--drop-replies', settled.drops, 0, messages);
  expectWithin('--crash-times', settled.crashTimes, 1, messages);
  // Below it a paused worker could not outlive its lease and still have time to go on.
  expectWithin('--timeout', settled.timeoutSeconds, 10, 900);
  if (!(settled.duplicateShare >= 0 && settled.duplicateShare <= 1)) {
    throw new RangeError(`--duplicate is ${settled.duplicateShare}; give a share from 0 to 1`);
  }
  return withoutContradiction(settled);
}

function withoutContradiction(options: ChaosOptions): ChaosOptions {
  if (options.broken !== undefined && options.handler !== undefined) {
    throw new Error(`--broken is ${options.broken}, a variant of the built-in consumer; leave --handler out`);
  }
  if (options.batching && (options.handler ?? options.broken) !== undefined) {
    throw new Error(
      '--batching is a variant of the sound built-in consumer; leave --handler and --broken out',
    );
  }
  if (options.handler === undefined && (options.check ?? options.body) !== undefined) {
    throw new Error('--body and --check belong to a handler of yours; give --handler too');
  }
  return options;
}

function withoutUndefined(given: GivenChaosOptions): Partial<ChaosOptions> & Pick<ChaosOptions, 'seed'> {
  const stated = Object.entries(given).filter(([, value]) => value !== undefined);
  return Object.fromEntries(stated) as Partial<ChaosOptions> & Pick<ChaosOptions, 'seed'>;
}
