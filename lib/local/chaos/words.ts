import type { OutcomeEventType } from '../../observe/events.ts';
import type { StepMessage } from '../events.ts';
import type { Blow, CrashPointName } from './points.ts';

/** The harness tells a worker at which points to end; each list replaces the one before. */
export interface Arming extends StepMessage {
  readonly armed: readonly Blow[];
}

/** The harness wants a worker to stop by itself, right before it sends the outcome of this message. */
export interface Lullaby extends StepMessage {
  readonly sleepsOver: string;
}

/** A worker stops, and moves again when it is continued. */
export interface SleepStep extends StepMessage {
  readonly asleep: true;
}

/** A worker tells of a message. */
export interface OutcomeStep extends StepMessage {
  readonly event: OutcomeEventType;
  readonly at: number;
  readonly messageId?: string;
  readonly attempt?: number;
  readonly fence?: number;
  readonly reason?: string;
  /** What was thrown, as `Name: message`. */
  readonly error?: string;
}

/** The last word of a worker that ends at a point. */
export interface CrashStep extends StepMessage {
  readonly crashed: CrashPointName;
}

export function isArming(message: unknown): message is Arming {
  return isOurs(message) && 'armed' in message;
}

export function isOutcomeStep(step: StepMessage): step is OutcomeStep {
  return typeof step.event === 'string' && typeof step.at === 'number';
}

export function isCrashStep(step: StepMessage): step is CrashStep {
  return typeof step.crashed === 'string';
}

export function isLullaby(message: unknown): message is Lullaby {
  return isOurs(message) && 'sleepsOver' in message;
}

export function isSleepStep(step: StepMessage): step is SleepStep {
  return step.asleep === true;
}

function isOurs(message: unknown): message is StepMessage {
  return typeof message === 'object' && message !== null && Reflect.get(message, 'type') === 'sqs-once';
}
