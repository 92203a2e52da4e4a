import { stripVTControlCharacters, styleText } from 'node:util';
import { isOutcomeStep, type OutcomeStep } from '../local/chaos/words.ts';
import type { RunnerEvent } from '../local/events.ts';
import type { OutcomeEventType } from '../observe/events.ts';
import { counted } from './texts.ts';
import { visible } from './visible.ts';

/** What workers told of the messages they have now; a message's line is written when its delivery ended. */
export interface Verdicts {
  /** Answers what was told of a message whose line is written already. */
  hear(event: RunnerEvent): OutcomeStep | undefined;
  /** What was told of one message, in words; empty where the handler is not guarded. */
  of(worker: number, messageId: string): string;
}

export function gatherVerdicts(): Verdicts {
  const told = new Map<number, Map<string, OutcomeStep[]>>();
  return {
    hear(event) {
      if (event.type === 'delivered') {
        told.set(event.worker, new Map(event.deliveries.map(({ record }) => [record.messageId, []])));
      }
      if (event.type !== 'step' || !isOutcomeStep(event.step)) return undefined;
      const steps = told.get(event.worker)?.get(event.step.messageId ?? '');
      if (steps === undefined) return event.step;
      steps.push(event.step);
      return undefined;
    },
    of(worker, messageId) {
      const steps = told.get(worker)?.get(messageId) ?? [];
      told.get(worker)?.delete(messageId);
      return verdictOf(steps);
    },
  };
}

/** All that was told, in order: `taken-over → failed (TypeError: no tea), attempt 2`. */
export function verdictOf(steps: readonly OutcomeStep[]): string {
  const sent = steps.filter(({ event }) => event === 'follow-up-sent').length;
  const way = steps.filter(({ event }) => event !== 'follow-up-sent');
  // That a message was claimed goes without saying once something came of it.
  const words = way.filter(({ event }) => event !== 'claimed' || way.length === 1).map(wordOf);
  const attempt = way.findLast((step) => step.attempt !== undefined)?.attempt;
  // What is parked before it ever ran has none.
  return [
    words.join(' → '),
    ...(!attempt ? [] : [`attempt ${attempt}`]),
    ...(sent === 0 ? [] : [`${counted(sent, 'follow-up')} sent`]),
  ]
    .filter(Boolean)
    .join(', ');
}

const colours: Readonly<Partial<Record<OutcomeEventType, 'green' | 'cyan' | 'red'>>> = {
  completed: 'green',
  duplicate: 'cyan',
  rejected: 'cyan',
  parked: 'red',
  'park-failed': 'red',
  'key-reused': 'red',
  'outcome-unrecorded': 'red',
};

/** For these reasons an error may quote the body that could not be read, unless its words are our own. */
const quoting: ReadonlySet<string | undefined> = new Set(['unparseable', 'no-key']);

/** Our own words name a place in the body, a class or a type, never what stands there: `at /amountCents`. */
const ownWords = [
  /^Error: the body does not match the schema ((?:at|as a whole)[\w$/*, ]*)$/,
  /^Error: (the body is not JSON(?:: position \d+)?)$/,
  /^Error: (the record has no body)$/,
  /^Error: ((?:parse|the schema) threw [\w ]+)$/,
  /^NoKeyError: (the key function threw [\w ]+)$/,
  /^NoKeyError: (key is (?:undefined|null|an? [\w ]+)); give /,
];

function wordOf({ event, reason, error }: OutcomeStep): string {
  const word = styleText(colours[event] ?? 'yellow', event);
  const why = reason === undefined ? '' : `: ${visible(reason)}`;
  const told = quoting.has(reason) ? placeIn(error) : error;
  if (told === undefined) return `${word}${why}`;
  return `${word}${why} (${visible(stripVTControlCharacters(told).split('\n')[0] ?? '')})`;
}

function placeIn(error = ''): string | undefined {
  return ownWords.map((words) => words.exec(error)?.[1]).find((place) => place !== undefined);
}
