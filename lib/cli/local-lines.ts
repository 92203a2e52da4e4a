import { styleText } from 'node:util';
import type { Delivery, RunnerEvent } from '../local/events.ts';
import { receiveCountOf } from '../local/record.ts';
import { gatherVerdicts, type Verdicts, verdictOf } from './local-verdicts.ts';
import { visible } from './visible.ts';

const red = (text: string) => styleText('red', text);
const green = (text: string) => styleText('green', text);
const yellow = (text: string) => styleText('yellow', text);
const dim = (text: string) => styleText('dim', text);

/** Turns what the runner tells into what there is to read: one line for each message whose delivery ended. */
export function localLines(maxReceiveCount: number): (event: RunnerEvent, at: Date) => string[] {
  const verdicts = gatherVerdicts();
  return (event, at) => {
    const late = verdicts.hear(event);
    if (late?.messageId !== undefined) {
      return [`${timeOf(at)}  ${shortId(late.messageId)}  later       ${verdictOf([late])}`];
    }
    return linesOf(event, at, { verdicts, maxReceiveCount });
  };
}

interface Surroundings {
  readonly verdicts: Verdicts;
  readonly maxReceiveCount: number;
}

function linesOf(event: RunnerEvent, at: Date, { verdicts, maxReceiveCount }: Surroundings): string[] {
  const time = timeOf(at);
  switch (event.type) {
    case 'answered': {
      const took = dim(`${Math.round(event.durationMillis)} ms, worker ${event.worker}`);
      const line = (delivery: Delivery, fate: string) =>
        joined(time, nameOf(delivery), fate, verdicts.of(event.worker, delivery.record.messageId), took);
      return [
        ...event.acknowledged.map((delivery) => line(delivery, green('acknowledged'))),
        ...event.returned.map((delivery) => line(delivery, yellow(returnOf(delivery, maxReceiveCount)))),
      ];
    }
    case 'failed': {
      const { reason, error, worker } = event;
      const why =
        error === undefined
          ? causes[reason]
          : `${causes[reason]}: ${visible(`${error.name}: ${error.message}`)}`;
      return [
        ...event.returned.map((delivery) => {
          const verdict = verdicts.of(worker, delivery.record.messageId);
          return joined(time, nameOf(delivery), red(returnOf(delivery, maxReceiveCount)), verdict, why);
        }),
        ...(error?.stack
          ?.split('\n')
          .slice(1)
          .map((line) => dim(visible(line))) ?? []),
      ];
    }
    case 'output':
      return [`${time}  ${dim(`worker ${event.worker} │`)} ${event.line}`];
    case 'worker-broken':
      return [`${time}  ${red(visible(event.error.message))}`];
    case 'trouble':
      return [`${time}  ${red(visible(`SQS: ${event.error.message}`))}`];
    default:
      return [];
  }
}

/** Columns of one line; a handler without claims has no verdict. */
function joined(...columns: readonly string[]): string {
  return columns.filter((column) => column !== '').join('  ');
}

function timeOf(at: Date): string {
  return dim(at.toTimeString().slice(0, 8) + at.toISOString().slice(19, 23));
}

function shortId(messageId: string): string {
  return messageId.slice(0, 8);
}

const causes = {
  threw: 'the handler threw',
  malformed: 'the answer cannot be understood',
  'timed-out': 'timed out, worker killed',
  died: 'the worker ended in the middle',
} as const;

function nameOf({ record }: Delivery): string {
  return `${shortId(record.messageId)}  delivery ${receiveCountOf(record)}`;
}

function returnOf({ record }: Delivery, maxReceiveCount: number): string {
  // As wide as the other fate, so that verdicts stand below each other.
  return receiveCountOf(record) >= maxReceiveCount
    ? 'returned, next to the dead-letter queue'
    : 'returned    ';
}
