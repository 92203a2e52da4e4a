import type { JournalLine } from '../chaos/journal.ts';
import type { Death, Fault, Pause, ReportData, Span } from './data.ts';

/** Draws the workers' timeline from the journal, line by line. */
export interface Timeline {
  hear(line: JournalLine): void;
  read(): Pick<ReportData, 'spans' | 'pauses' | 'deaths' | 'faults' | 'lastsMillis'>;
}

export function createTimeline(): Timeline {
  const spans: Span[] = [];
  const pauses: Pause[] = [];
  const deaths: Death[] = [];
  const faults: Fault[] = [];
  const begun = new Map<number, { readonly at: number; readonly messages: number }>();
  const stopped = new Map<number, number>();
  let lastsMillis = 0;
  return {
    hear(line) {
      lastsMillis = Math.max(lastsMillis, line.at);
      switch (line.type) {
        case 'delivered':
          begun.set(line.worker, { at: line.at, messages: line.messages.length });
          return;
        case 'answered':
        case 'died':
        case 'timed-out':
        case 'threw':
        case 'malformed': {
          const { at = line.at, messages = 0 } = begun.get(line.worker) ?? {};
          spans.push([line.worker, at, line.at, line.type, messages]);
          return;
        }
        case 'pause':
          stopped.set(line.worker, line.at);
          return;
        case 'resume':
          pauses.push([line.worker, stopped.get(line.worker) ?? line.at, line.at]);
          return;
        case 'kill':
          deaths.push([line.worker, line.at, 'killed at a random moment']);
          return;
        case 'crash':
          deaths.push([line.worker, line.at, line.point]);
          return;
        case 'drop-reply':
        case 'delay':
          faults.push([line.at, line.type, line.target]);
      }
    },
    read: () => ({ spans, pauses, deaths, faults, lastsMillis }),
  };
}
