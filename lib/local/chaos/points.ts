import type { OnceEvent, OnceEventType } from '../../observe/events.ts';

/** Whose replies are counted: the claim table's and the queue's, or those of anything else that is called. */
export type ReplyOf = 'aws' | 'elsewhere';

/** A place on a message's way at which a worker can be made to end. */
export interface CrashPoint {
  /** For people: the worker ends … */
  readonly says: string;
  /** The events that start it. */
  readonly on: readonly OnceEventType[];
  /** Which of them count. @default all */
  readonly counts?: (event: OnceEvent) => boolean;
  /** How many replies are received first by the code that told the event, drawn from this range. */
  readonly replies?: { readonly of: ReplyOf; readonly least: number; readonly most: number };
  /** How much later at most, drawn. */
  readonly withinMillis?: number;
}

/** In the order of a message's way. A reply counts when it has arrived and nobody has read it yet. */
export const crashPoints = {
  'before-claim': { says: 'before the claim is sent', on: ['claiming'] },
  'claim-landed': {
    says: 'after the claim landed, before its reply is read',
    on: ['claiming'],
    replies: { of: 'aws', least: 1, most: 1 },
  },
  'after-claim': { says: 'after the claim, before the handler', on: ['claimed', 'taken-over'] },
  'in-handler': { says: 'inside the handler', on: ['starting'], withinMillis: 10 },
  'after-gateway-call': {
    says: "after the handler's first call to the outside was answered",
    on: ['starting'],
    replies: { of: 'elsewhere', least: 1, most: 1 },
  },
  'before-settle': { says: 'before the outcome is sent', on: ['settling'] },
  'settle-landed': {
    says: 'after the outcome landed, before its reply is read',
    on: ['settling'],
    replies: { of: 'aws', least: 1, most: 1 },
  },
  'sending-follow-ups': {
    says: 'while follow-ups go out',
    on: ['sending'],
    // A parked message on its way to the dead-letter queue is told of with its reason.
    counts: ({ reason }) => reason === undefined,
    replies: { of: 'aws', least: 0, most: 2 },
  },
  parking: {
    says: 'while a message is parked',
    on: ['parking'],
    replies: { of: 'aws', least: 0, most: 3 },
  },
  'before-answer': { says: 'before the batch is answered', on: ['answering'] },
  // No code in the worker runs after that, so whoever hears the answer does it.
  'after-answer': { says: 'after the batch was answered', on: [] },
} as const satisfies Readonly<Record<string, CrashPoint>>;

export type CrashPointName = keyof typeof crashPoints;

export const crashPointNames = Object.keys(crashPoints) as readonly CrashPointName[];

/** One planned crash; the fraction, 0 to 1, decides what is drawn. */
export interface Blow {
  readonly point: CrashPointName;
  readonly fraction: number;
}

/** Whether an event is the start of a point. */
export function starts({ point }: Blow, event: OnceEvent): boolean {
  const { on, counts = () => true }: CrashPoint = crashPoints[point];
  return on.includes(event.type) && counts(event);
}

/** What has to happen after the event before the worker ends. */
export function fuseOf({ point, fraction }: Blow): {
  replies: number;
  of: ReplyOf;
  delayMillis: number;
} {
  const { replies, withinMillis = 0 }: CrashPoint = crashPoints[point];
  const { of, least, most } = replies ?? { of: 'aws', least: 0, most: 0 };
  return {
    of,
    replies: least + Math.floor(fraction * (most - least + 1)),
    delayMillis: fraction * withinMillis,
  };
}
