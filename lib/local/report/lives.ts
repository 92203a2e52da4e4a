import type { JournalLine } from '../chaos/journal.ts';
import type { Bar } from './data.ts';

/** What is kept of every message while the journal is read the first time. */
interface Life {
  deliveredAt: number;
  settledAt: number | undefined;
  attempts: number;
  /** How much happened to it beyond the usual. */
  adventures: number;
}

/** Sums up the messages' lives. */
export interface Lives {
  hear(line: JournalLine): void;
  attempts(): readonly Bar[];
  settling(): readonly Bar[];
  /** The message ids to tell the stories of: those to which most happened, and some to which little did. */
  worthTelling(most: number): ReadonlySet<string>;
}

const settled: ReadonlySet<string> = new Set(['completed', 'rejected', 'parked', 'outcome-unrecorded']);
const usual: ReadonlySet<string> = new Set(['claimed', 'completed', 'follow-up-sent']);

export function createLives(): Lives {
  const lives = new Map<string, Life>();
  const lifeOf = (messageId: string, at: number): Life => {
    const life = lives.get(messageId) ?? {
      deliveredAt: at,
      settledAt: undefined,
      attempts: 0,
      adventures: 0,
    };
    lives.set(messageId, life);
    return life;
  };
  return {
    hear(line) {
      if (line.type === 'delivered') {
        for (const [messageId, receives] of line.messages) {
          const life = lifeOf(messageId, line.at);
          if (receives > 1) life.adventures += 1;
        }
      }
      if (line.type !== 'told' || line.messageId === '') return;
      const life = lifeOf(line.messageId, line.at);
      life.attempts = Math.max(life.attempts, line.attempt ?? 0);
      if (!usual.has(line.event)) life.adventures += 1;
      if (settled.has(line.event)) life.settledAt ??= line.at;
    },
    attempts: () => attemptBars([...lives.values()]),
    settling: () => settlingBars([...lives.values()]),
    worthTelling(most) {
      const byAdventure = [...lives].sort(([, one], [, other]) => other.adventures - one.adventures);
      const eventful = byAdventure.slice(0, Math.ceil(most * 0.8));
      const calm = byAdventure.slice(eventful.length).slice(-Math.floor(most * 0.2));
      return new Set([...eventful, ...calm].map(([messageId]) => messageId));
    },
  };
}

const mostAttemptsApart = 6;

function attemptBars(lives: readonly Life[]): Bar[] {
  const ran = lives.filter(({ attempts }) => attempts > 0);
  const counted = Map.groupBy(ran, ({ attempts }) => Math.min(attempts, mostAttemptsApart));
  return Array.from({ length: mostAttemptsApart }, (_, index) => {
    const attempts = index + 1;
    const label = attempts === mostAttemptsApart ? `${attempts} or more` : String(attempts);
    return { label, count: counted.get(attempts)?.length ?? 0 };
  });
}

const edgesSeconds = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50];

function settlingBars(lives: readonly Life[]): Bar[] {
  const seconds = lives.flatMap(({ deliveredAt, settledAt }) =>
    settledAt === undefined ? [] : [Math.max(0, settledAt - deliveredAt) / 1_000],
  );
  const bars = edgesSeconds.map((edge, index) => {
    const from = edgesSeconds[index - 1] ?? 0;
    return {
      label: `${from} to ${edge} s`,
      count: seconds.filter((one) => one >= from && one < edge).length,
    };
  });
  const last = edgesSeconds.at(-1) ?? 0;
  return [...bars, { label: `over ${last} s`, count: seconds.filter((one) => one >= last).length }];
}
