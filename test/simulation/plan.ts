import fc from 'fast-check';

/** How often a thing goes wrong, in percent of the occasions. */
export interface Rates {
  /** A request to the table or to SQS never arrives. */
  readonly lostRequest: number;
  /** It arrives and is carried out, and the answer never comes. */
  readonly lostReply: number;
  /** The client sends it again by itself after a lost answer, and hands out the second answer. */
  readonly retriedByClient: number;
  /** The network delivers it a second time, later. */
  readonly lateCopy: number;
  readonly throttled: number;
  readonly conflict: number;
  /** It takes seconds instead of milliseconds. */
  readonly slow: number;
  /** A process ends at once, between two of its steps. */
  readonly crash: number;
  /** A process stands still for a while, between two of its steps. */
  readonly freeze: number;
  /** A queue hands a message out a second time while it is in flight. */
  readonly deliveredTwice: number;
  /** An acknowledged message comes back. */
  readonly deleteLost: number;
  /** A batch is received and never reaches a process. */
  readonly invokeLost: number;
}

/** What handlers do besides succeeding, in percent of the runs. */
export interface Habits {
  readonly throws: number;
  readonly retriesLater: number;
  readonly crashes: number;
  readonly ignoresSignal: number;
  readonly slow: number;
  readonly conditionFails: number;
}

/** How messages can be by nature, in percent of the works. */
export interface Natures {
  readonly poison: number;
  readonly killer: number;
  readonly failing: number;
  readonly unparseable: number;
}

/** Everything a world is drawn from. The same plan gives the same history. */
export interface Plan {
  readonly seed: number;
  /** How user code is called. */
  readonly form: 'each message' | 'whole event';
  readonly claim: 'first' | 'with-commit';
  readonly fifo: boolean;
  readonly keys: 'message-id' | 'business';
  readonly messages: number;
  /** Distinct pieces of work among business keys. */
  readonly works: number;
  /** Messages whose key was used before with another payload, in percent. */
  readonly otherPayloads: number;
  readonly groups: number;
  /** Messages come all through the safety phase, not only at first: keys are used again when their rows are old. */
  readonly sendsLate: boolean;
  readonly workers: number;
  readonly batchSize: number;
  /** Invocations of two slots share a process. */
  readonly sharedProcess: boolean;
  /** Claims and outcomes that are ready together share a call. */
  readonly batching: boolean;
  readonly lease: 'deadline' | 'short' | 'no deadline';
  readonly maxAttempts: number;
  readonly maxReceiveCount: number;
  readonly abandoned: 'run' | 'park';
  readonly fifoPoison: 'continue' | 'hold';
  readonly partialResponses: boolean;
  readonly timeoutSeconds: number;
  readonly visibilityFactor: number;
  /** Clocks differ from the true time by at most this. */
  readonly skewMillis: number;
  /** A frozen process's monotonic clock and timers stand still with it. */
  readonly freezeStopsTimers: boolean;
  /** A process is frozen between invocations, as Lambda does. */
  readonly idleFreeze: boolean;
  readonly transactions: boolean;
  /** Messages are events of one payment, in any order. */
  readonly transitions: boolean;
  /** Rows are kept for minutes only, and swept away after that. */
  readonly shortRetention: boolean;
  readonly followUps: number;
  /** People bring messages back while things still go wrong. */
  readonly earlyRedrives: boolean;
  /** They let go of claims too, and ask for new effects. */
  readonly boldPeople: boolean;
  /** Nothing goes wrong after so many faults. */
  readonly faults: number;
  /** Nothing goes wrong later than this. */
  readonly safetySeconds: number;
  readonly rates: Rates;
  readonly habits: Habits;
  readonly natures: Natures;
}

/** Mostly off, so that most worlds have few kinds of trouble and shrink to fewer. */
const percent = (most: number) =>
  fc.oneof(
    { arbitrary: fc.constant(0), weight: 3 },
    { arbitrary: fc.integer({ min: 0, max: most }), weight: 2 },
  );

const rates: fc.Arbitrary<Rates> = fc.record({
  lostRequest: percent(15),
  lostReply: percent(25),
  retriedByClient: percent(20),
  lateCopy: percent(20),
  throttled: percent(15),
  conflict: percent(20),
  slow: percent(15),
  crash: percent(4),
  freeze: percent(4),
  deliveredTwice: percent(40),
  deleteLost: percent(30),
  invokeLost: percent(15),
});

const habits: fc.Arbitrary<Habits> = fc.record({
  throws: percent(50),
  retriesLater: percent(25),
  crashes: percent(30),
  ignoresSignal: percent(25),
  slow: percent(40),
  conditionFails: percent(20),
});

const natures: fc.Arbitrary<Natures> = fc.record({
  poison: percent(25),
  killer: percent(25),
  failing: percent(25),
  unparseable: percent(20),
});

const anyPlans: fc.Arbitrary<Plan> = fc.record({
  seed: fc.noShrink(fc.integer({ min: 0, max: 0x7fffffff })),
  form: fc.constantFrom('each message', 'each message', 'each message', 'whole event'),
  claim: fc.constantFrom('first', 'first', 'with-commit'),
  fifo: fc.boolean(),
  keys: fc.constantFrom('message-id', 'business'),
  messages: fc.integer({ min: 1, max: 5 }),
  works: fc.integer({ min: 1, max: 4 }),
  otherPayloads: percent(30),
  groups: fc.integer({ min: 1, max: 2 }),
  sendsLate: fc.constantFrom(false, false, true),
  workers: fc.integer({ min: 1, max: 3 }),
  batchSize: fc.integer({ min: 1, max: 4 }),
  sharedProcess: fc.boolean(),
  batching: fc.constantFrom(false, false, true),
  lease: fc.constantFrom('deadline', 'deadline', 'short', 'no deadline'),
  maxAttempts: fc.integer({ min: 1, max: 4 }),
  maxReceiveCount: fc.integer({ min: 3, max: 9 }),
  abandoned: fc.constantFrom('run', 'run', 'park'),
  fifoPoison: fc.constantFrom('continue', 'continue', 'hold'),
  partialResponses: fc.constantFrom(true, true, true, false),
  timeoutSeconds: fc.integer({ min: 4, max: 30 }),
  visibilityFactor: fc.integer({ min: 1, max: 6 }),
  skewMillis: fc.integer({ min: 0, max: 490 }),
  freezeStopsTimers: fc.boolean(),
  idleFreeze: fc.boolean(),
  transactions: fc.boolean(),
  transitions: fc.constantFrom(false, false, false, false, true),
  shortRetention: fc.constantFrom(false, false, false, false, true),
  followUps: fc.integer({ min: 0, max: 2 }),
  earlyRedrives: fc.boolean(),
  boldPeople: fc.constantFrom(false, false, true),
  faults: fc.integer({ min: 0, max: 60 }),
  safetySeconds: fc.integer({ min: 60, max: 1_200 }),
  rates,
  habits,
  natures,
});

/** Plans that make sense. The first value of each field is what it shrinks to. */
export const plans: fc.Arbitrary<Plan> = anyPlans.map((given) => {
  const claim = given.form === 'whole event' ? 'first' : given.claim;
  const plan: Plan = { ...given, claim, abandoned: claim === 'with-commit' ? 'run' : given.abandoned };
  // An event that waits for one behind it in its group would wait for a person for ever.
  if (plan.transitions) return { ...plan, shortRetention: false, fifoPoison: 'continue' };
  // A row that goes takes the follow-ups that are not out with it, and no group is held for longer than a row.
  return plan.shortRetention ? { ...plan, followUps: 0, fifoPoison: 'continue' } : plan;
});
