import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import type { RunnerEvent } from '../events.ts';
import { receiveCountOf } from '../record.ts';
import type { Broken } from './lossy-proxy.ts';
import { isCrashStep, isOutcomeStep } from './words.ts';

/**
 * One line of the journal. It is written to a file as it happens, so that a run of any length needs the same
 * memory, and read again for the report.
 */
export type JournalLine = { /** Milliseconds since the first delivery. */ readonly at: number } & (
  | {
      readonly type: 'delivered';
      readonly worker: number;
      /** Message id, receives, whether it is a second copy on purpose. */
      readonly messages: readonly (readonly [messageId: string, receives: number, duplicated: boolean])[];
    }
  | {
      readonly type: 'answered' | 'died' | 'timed-out' | 'threw' | 'malformed';
      readonly worker: number;
      readonly acknowledged: readonly string[];
      readonly returned: readonly string[];
    }
  | {
      readonly type: 'told';
      readonly worker: number;
      readonly event: string;
      readonly messageId: string;
      readonly attempt?: number | undefined;
      readonly fence?: number | undefined;
      readonly reason?: string | undefined;
    }
  | { readonly type: 'kill' | 'pause' | 'resume' | 'ready'; readonly worker: number }
  | { readonly type: 'crash'; readonly worker: number; readonly point: string }
  | { readonly type: 'drop-reply' | 'delay'; readonly target: string }
);

export interface Journal {
  readonly file: string;
  hear(event: RunnerEvent): void;
  broke(broken: Broken): void;
  /** Resolves when everything is in the file. */
  close(): Promise<void>;
}

/** Without the part that every line has. */
type Fact = JournalLine extends infer Line ? (Line extends JournalLine ? Omit<Line, 'at'> : never) : never;

export function openJournal(file: string): Journal {
  let startedAt: number | undefined;
  let closed = false;
  const stream = createWriteStream(file);
  const write = (fact: Fact, at = Date.now()) => {
    // A worker that answered may still be at work, and tell of it.
    if (closed) return;
    startedAt ??= at;
    stream.write(`${JSON.stringify({ at: Math.max(0, at - startedAt), ...fact })}\n`);
  };
  return {
    file,
    hear(event) {
      const fact = factOf(event);
      // It begins with the first delivery, not with the start of the workers.
      if (fact === undefined || (startedAt === undefined && event.type !== 'delivered')) return;
      const toldAt = event.type === 'step' && isOutcomeStep(event.step) ? event.step.at : undefined;
      write(fact, toldAt);
    },
    broke({ kind, target }) {
      if (kind === 'drop-reply' || kind === 'delay') write({ type: kind, target });
    },
    async close() {
      if (closed) return;
      closed = true;
      stream.end();
      await finished(stream);
    },
  };
}

function factOf(event: RunnerEvent): Fact | undefined {
  switch (event.type) {
    case 'delivered': {
      const messages = event.deliveries.map(
        ({ record, duplicated }) => [record.messageId, receiveCountOf(record), duplicated] as const,
      );
      return { type: 'delivered', worker: event.worker, messages };
    }
    case 'answered':
      return {
        type: 'answered',
        worker: event.worker,
        acknowledged: event.acknowledged.map(({ record }) => record.messageId),
        returned: event.returned.map(({ record }) => record.messageId),
      };
    case 'failed': {
      const returned = event.returned.map(({ record }) => record.messageId);
      return { type: event.reason, worker: event.worker, acknowledged: [], returned };
    }
    case 'worker-ready':
      return { type: 'ready', worker: event.worker };
    case 'signalled':
      return { type: signals[event.signal] ?? 'kill', worker: event.worker };
    case 'step': {
      const { step, worker } = event;
      if (isCrashStep(step)) return { type: 'crash', worker, point: step.crashed };
      if (!isOutcomeStep(step)) return undefined;
      const { event: told, messageId = '', attempt, fence, reason } = step;
      return { type: 'told', worker, event: told, messageId, attempt, fence, reason };
    }
    default:
      return undefined;
  }
}

const signals: Readonly<Partial<Record<NodeJS.Signals, 'pause' | 'resume'>>> = {
  SIGSTOP: 'pause',
  SIGCONT: 'resume',
};
