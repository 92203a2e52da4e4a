import { styleText } from 'node:util';
import type { Delivery, RunnerEvent } from '../local/events.ts';
import { receiveCountOf } from '../local/record.ts';

const red = (text: string) => styleText('red', text);
const green = (text: string) => styleText('green', text);
const yellow = (text: string) => styleText('yellow', text);
const dim = (text: string) => styleText('dim', text);

/** What there is to read of one event: one line for each message whose delivery ended, and what workers print. */
export function linesOf(event: RunnerEvent, at: Date, maxReceiveCount: number): string[] {
  const time = dim(at.toTimeString().slice(0, 8) + at.toISOString().slice(19, 23));
  switch (event.type) {
    case 'answered': {
      const took = dim(`${Math.round(event.durationMillis)} ms, worker ${event.worker}`);
      return [
        ...event.acknowledged.map(
          (delivery) => `${time}  ${nameOf(delivery)}  ${green('acknowledged')}  ${took}`,
        ),
        ...event.returned.map(
          (delivery) =>
            `${time}  ${nameOf(delivery)}  ${yellow(returnOf(delivery, maxReceiveCount))}  ${took}`,
        ),
      ];
    }
    case 'failed': {
      const { reason, error } = event;
      const why = error === undefined ? causes[reason] : `${causes[reason]}: ${error.name}: ${error.message}`;
      return [
        ...event.returned.map(
          (delivery) => `${time}  ${nameOf(delivery)}  ${red(returnOf(delivery, maxReceiveCount))}  ${why}`,
        ),
        ...(error?.stack?.split('\n').slice(1).map(dim) ?? []),
      ];
    }
    case 'output':
      return [`${time}  ${dim(`worker ${event.worker} │`)} ${event.line}`];
    case 'worker-broken':
      return [`${time}  ${red(event.error.message)}`];
    case 'trouble':
      return [`${time}  ${red(`SQS: ${event.error.message}`)}`];
    default:
      return [];
  }
}

const causes = {
  threw: 'the handler threw',
  malformed: 'the answer cannot be understood',
  'timed-out': 'timed out, worker killed',
  died: 'the worker ended in the middle',
} as const;

function nameOf({ record }: Delivery): string {
  return `${record.messageId.slice(0, 8)}  delivery ${receiveCountOf(record)}`;
}

function returnOf({ record }: Delivery, maxReceiveCount: number): string {
  return receiveCountOf(record) >= maxReceiveCount ? 'returned, next to the dead-letter queue' : 'returned';
}
