import { onceAttributeOf } from '../../arrive/once-attribute.ts';
import type { SqsRecord } from '../../arrive/record.ts';
import type { OutcomeEventType } from '../../observe/events.ts';
import type { RunnerEvent } from '../events.ts';

/** What happened to one consumer's messages, as seen from outside and as its handler logged it. */
export interface Tally {
  /** Different messages; a redriven one has another id and is still the same. */
  readonly messages: number;
  readonly deliveries: number;
  /** Lines the handler's observer logged, by what they tell. */
  logged(type: OutcomeEventType): number;
  /** Why messages were rejected, each reason once. */
  readonly rejections: readonly string[];
  hear(event: RunnerEvent): void;
}

export function createTally(): Tally {
  const messageIds = new Set<string>();
  const lines = new Map<string, number>();
  const rejections = new Set<string>();
  let deliveries = 0;
  return {
    get messages() {
      return messageIds.size;
    },
    get deliveries() {
      return deliveries;
    },
    get rejections() {
      return [...rejections];
    },
    logged: (type) => lines.get(type) ?? 0,
    hear(event) {
      if (event.type === 'delivered') {
        deliveries += event.deliveries.length;
        for (const { record } of event.deliveries) messageIds.add(firstIdOf(record));
      }
      if (event.type !== 'output') return;
      const [, type, rest = ''] = /^sqs-once ([a-z-]+) (.*)$/.exec(event.line) ?? [];
      if (type === undefined) return;
      lines.set(type, (lines.get(type) ?? 0) + 1);
      if (type === 'rejected') rejections.add(reasonIn(rest));
    },
  };
}

/** The id it had before it was parked and redriven. */
function firstIdOf(record: SqsRecord): string {
  return onceAttributeOf(record)?.messageId ?? record.messageId;
}

function reasonIn(fields: string): string {
  const [, text = '""'] = /reason=("(?:[^"\\]|\\.)*")/.exec(fields) ?? [];
  return JSON.parse(text) as string;
}
