import type { Observer, OnceEvent, OnceEventType } from '../../lib/observe/events.ts';

/** An observer that keeps what it is told. */
export interface Observed {
  readonly observer: Observer;
  readonly events: readonly OnceEvent[];
  of(type: OnceEventType): readonly OnceEvent[];
  /** The types told of one message, steps left out. */
  story(messageId: string): readonly OnceEventType[];
}

const steps: readonly OnceEventType[] = [
  'claiming',
  'starting',
  'settling',
  'parking',
  'sending',
  'answering',
];

export function observed(): Observed {
  const events: OnceEvent[] = [];
  return {
    observer: (event) => void events.push(event),
    events,
    of: (type) => events.filter((event) => event.type === type),
    story: (messageId) =>
      events
        .filter((event) => event.messageId === messageId && !steps.includes(event.type))
        .map(({ type }) => type),
  };
}
