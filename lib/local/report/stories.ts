import type { JournalLine } from '../chaos/journal.ts';
import type { Step, Story } from './data.ts';

/** Tells what happened to some of the messages, in the order in which it happened. */
export interface Stories {
  hear(line: JournalLine): void;
  read(): readonly Story[];
}

/** @param numbers the chosen messages' numbers by id */
export function createStories(numbers: ReadonlyMap<string, number>): Stories {
  const steps = new Map<string, Step[]>([...numbers.keys()].map((messageId) => [messageId, []]));
  const add = (messageId: string, step: Step) => steps.get(messageId)?.push(step);
  return {
    hear(line) {
      switch (line.type) {
        case 'delivered':
          for (const [messageId, receives, duplicated] of line.messages) {
            const detail = duplicated ? 'a second copy, on purpose' : `receive ${receives}`;
            add(messageId, { at: line.at, worker: line.worker, what: 'delivered', detail });
          }
          return;
        case 'told':
          add(line.messageId, {
            at: line.at,
            worker: line.worker,
            what: line.event,
            attempt: line.attempt,
            fence: line.fence,
            detail: line.reason,
          });
          return;
        case 'answered':
          for (const id of line.acknowledged) add(id, stepOf(line, 'acknowledged'));
          for (const id of line.returned) add(id, stepOf(line, 'returned'));
          return;
        case 'died':
        case 'timed-out':
        case 'threw':
        case 'malformed':
          for (const id of line.returned) add(id, stepOf(line, line.type));
      }
    },
    read: () =>
      [...steps]
        .map(([messageId, told]) => ({
          number: numbers.get(messageId) ?? 0,
          messageId,
          steps: told.sort((one, other) => one.at - other.at),
        }))
        .sort((one, other) => one.number - other.number),
  };
}

function stepOf({ at, worker }: { readonly at: number; readonly worker: number }, what: string): Step {
  return { at, worker, what };
}
