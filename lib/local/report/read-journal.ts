import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { JournalLine } from '../chaos/journal.ts';
import type { ReportData } from './data.ts';
import { createLives } from './lives.ts';
import { createStories } from './stories.ts';
import { createTimeline } from './timeline.ts';

/** More would make the page heavy and nobody reads them. */
const mostStories = 500;

/** What a journal tells, read twice: once for the whole, once for the messages worth telling of. */
export async function readJournal(
  file: string,
  messageIds: readonly string[],
): Promise<
  Pick<
    ReportData,
    'spans' | 'pauses' | 'deaths' | 'faults' | 'lastsMillis' | 'attempts' | 'settling' | 'stories'
  >
> {
  const timeline = createTimeline();
  const lives = createLives();
  for await (const line of linesOf(file)) {
    timeline.hear(line);
    lives.hear(line);
  }
  const chosen = lives.worthTelling(mostStories);
  const numbers = new Map(
    messageIds.flatMap((id, index) => (chosen.has(id) ? [[id, index + 1] as const] : [])),
  );
  const stories = createStories(numbers);
  for await (const line of linesOf(file)) stories.hear(line);
  return {
    ...timeline.read(),
    attempts: lives.attempts(),
    settling: lives.settling(),
    stories: stories.read(),
  };
}

async function* linesOf(file: string): AsyncGenerator<JournalLine> {
  for await (const text of createInterface({ input: createReadStream(file) })) {
    yield JSON.parse(text) as JournalLine;
  }
}
