import { writeFile } from 'node:fs/promises';
import { pageAssets } from './assets.ts';
import type { ReportData } from './data.ts';
import { reportPage } from './html.ts';
import { readJournal } from './read-journal.ts';

/** What the report says besides what the journal tells. */
export type ReportFacts = Pick<
  ReportData,
  'seed' | 'facts' | 'points' | 'divergences' | 'messages' | 'workers'
>;

/** Writes the report as one HTML file. */
export async function writeReport(
  file: string,
  journalFile: string,
  messageIds: readonly string[],
  facts: ReportFacts,
): Promise<void> {
  const told = await readJournal(journalFile, messageIds);
  const data: ReportData = { writtenAt: new Date().toISOString(), ...facts, ...told };
  await writeFile(file, reportPage(data, await pageAssets()));
}
