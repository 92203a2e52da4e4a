/** A number of the run and what it means, for someone who never saw one. */
export interface Fact {
  readonly name: string;
  readonly value: string;
  readonly meaning: string;
}

/** How an invocation ended. */
export type SpanEnd = 'answered' | 'died' | 'timed-out' | 'threw' | 'malformed';

/** One invocation of a worker, times in milliseconds since the start. */
export type Span = readonly [worker: number, from: number, to: number, end: SpanEnd, messages: number];

export type Pause = readonly [worker: number, from: number, to: number];

/** The end of a worker: killed from outside, or at a named point. */
export type Death = readonly [worker: number, at: number, where: string];

/** A call whose reply was lost, or that was held back. */
export type Fault = readonly [at: number, kind: 'drop-reply' | 'delay', target: string];

/** One thing that happened to a message. */
export interface Step {
  readonly at: number;
  readonly worker: number;
  readonly what: string;
  readonly attempt?: number | undefined;
  readonly fence?: number | undefined;
  readonly detail?: string | undefined;
}

export interface Story {
  /** The message's number, from 1. */
  readonly number: number;
  readonly messageId: string;
  readonly steps: readonly Step[];
}

export interface Bar {
  readonly label: string;
  readonly count: number;
}

/** Everything the page shows. */
export interface ReportData {
  readonly seed: number;
  readonly writtenAt: string;
  readonly facts: readonly Fact[];
  readonly points: readonly { readonly name: string; readonly says: string; readonly times: number }[];
  readonly divergences: readonly string[];
  readonly messages: number;
  readonly workers: number;
  readonly lastsMillis: number;
  readonly spans: readonly Span[];
  readonly pauses: readonly Pause[];
  readonly deaths: readonly Death[];
  readonly faults: readonly Fault[];
  readonly attempts: readonly Bar[];
  readonly settling: readonly Bar[];
  readonly stories: readonly Story[];
}
