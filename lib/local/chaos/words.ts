import type { OutcomeEventType } from '../../observe/events.ts';
import type { StepMessage } from '../events.ts';
import type { Blow, CrashPointName } from './points.ts';

/** The harness tells a worker at which points to end; each list replaces the one before. */
export interface Arming extends StepMessage {
  readonly armed: readonly Blow[];
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

function isOurs(message: unknown): message is StepMessage {
  return typeof message === 'object' && message !== null && Reflect.get(message, 'type') === 'sqs-once';
}
