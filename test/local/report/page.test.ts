// The report is one page that needs nothing else, can be read on a phone and in the dark, and tells any message's way.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JournalLine } from '../../../lib/local/chaos/journal.ts';
import { type ReportFacts, writeReport } from '../../../lib/local/report/write-report.ts';
import { chromium, whyNot } from './chromium.ts';

const journal: readonly JournalLine[] = [
  {
    at: 0,
    type: 'delivered',
    worker: 0,
    messages: [
      ['id-1', 1, false],
      ['id-2', 1, false],
    ],
  },
  { at: 20, type: 'told', worker: 0, event: 'claimed', messageId: 'id-1', attempt: 1, fence: 1 },
  { at: 900, type: 'crash', worker: 0, point: 'in-handler' },
  { at: 905, type: 'died', worker: 0, acknowledged: [], returned: ['id-1', 'id-2'] },
  { at: 950, type: 'pause', worker: 1 },
  { at: 1_000, type: 'drop-reply', target: 'DynamoDB_20120810.UpdateItem' },
  { at: 6_000, type: 'resume', worker: 1 },
  { at: 7_000, type: 'delivered', worker: 1, messages: [['id-1', 2, false]] },
  { at: 7_020, type: 'told', worker: 1, event: 'taken-over', messageId: 'id-1', attempt: 2, fence: 2 },
  { at: 7_100, type: 'told', worker: 1, event: 'completed', messageId: 'id-1', attempt: 2, fence: 2 },
  { at: 7_110, type: 'answered', worker: 1, acknowledged: ['id-1'], returned: [] },
];

const facts: ReportFacts = {
  seed: 7,
  messages: 2,
  workers: 2,
  facts: [{ name: 'messages', value: '2', meaning: 'sent to the queue' }],
  points: [{ name: 'in-handler', says: 'inside the handler', times: 1 }],
  divergences: ['</script><script>window.broken = true</script> was charged 2 times'],
};

let folder: string;
let file: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sqs-once-page-'));
  file = join(folder, 'out.html');
  const journalFile = join(folder, 'journal.ndjson');
  await writeFile(journalFile, journal.map((line) => `${JSON.stringify(line)}\n`).join(''));
  await writeReport(file, journalFile, ['id-1', 'id-2'], facts);
});
afterAll(() => rm(folder, { recursive: true }));

test('a report asks for nothing from anywhere', async () => {
  const page = await readFile(file, 'utf8');
  expect(page).not.toMatch(/<(script|link|img)[^>]*(src|href)=/);
  expect(page).toContain('Apache License 2.0');
});

// A skipped test says why, also where titles are not shown.
if (whyNot !== '') console.log(`skipped in test/local/report/page.test.ts${whyNot}`);

describe.skipIf(chromium === undefined)(`in a browser${whyNot}`, { timeout: 60_000 }, () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await puppeteer.launch({
      executablePath: chromium ?? '',
      args: ['--no-sandbox', '--disable-dev-shm-usage'],
    });
  }, 60_000);
  afterAll(() => browser.close());

  async function open(width: number, scheme: 'light' | 'dark') {
    const page = await browser.newPage();
    const complaints: string[] = [];
    page.on('pageerror', (error) => void complaints.push(String(error)));
    page.on('console', (message) => void complaints.push(message.text()));
    await page.setViewport({ width, height: 844 });
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
    await page.goto(pathToFileURL(file).href);
    await page.waitForSelector('html[data-drawn]');
    return { page, complaints };
  }

  test('it draws every chart and complains of nothing', async () => {
    const { page, complaints } = await open(1_200, 'light');
    for (const id of ['timeline', 'attempts', 'settling'])
      expect(await inkOf(page, id), id).toBeGreaterThan(50);
    expect(complaints).toEqual([]);
  });

  test('it shows the divergences as text, whatever they contain', async () => {
    const { page } = await open(1_200, 'light');
    expect(await page.$eval('.divergences', (list) => list.textContent)).toBe(facts.divergences[0]);
    expect(await page.evaluate('window.broken')).toBeUndefined();
    expect(await page.$eval('.badge', (badge) => badge.textContent)).toBe('1 divergences');
  });

  test('it tells the way of the message that is picked', async () => {
    const { page } = await open(1_200, 'light');
    await page.select('#message', '1');
    const told = await page.$$eval('#story li', (items) => items.map((item) => item.textContent));
    expect(told).toEqual([
      '+0.00 sworker 0deliveredreceive 1',
      '+0.02 sworker 0claimed: the handler may runattempt 1fence 1',
      '+0.91 sworker 0the worker ended without an answer',
      '+7.00 sworker 1deliveredreceive 2',
      '+7.02 sworker 1claimed after an attempt whose end is unknownattempt 2fence 2',
      '+7.10 sworker 1completed: the outcome is recorded for goodattempt 2fence 2',
      '+7.11 sworker 1acknowledged: deleted from the queue',
    ]);
    await page.click('#another');
    expect(await page.$eval('#message', (select) => select.value)).toBe('2');
  });

  test('it fits a phone', async () => {
    const { page } = await open(360, 'light');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    expect(await inkOf(page, 'timeline')).toBeGreaterThan(50);
  });

  test('it is dark in dark mode, and follows a change of mind', async () => {
    const { page } = await open(1_200, 'dark');
    const lightness = () =>
      page.evaluate('getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)[0]');
    expect(await lightness()).toBeLessThan(60);
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'light' }]);
    expect(await lightness()).toBeGreaterThan(200);
  });
});

/** How many points of a chart are painted. */
async function inkOf(page: Page, id: string): Promise<number> {
  return (await page.evaluate(`(() => {
    const canvas = document.querySelector('#${id} canvas');
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    return data.filter((value, index) => index % 4 === 3 && value > 0).length;
  })()`)) as number;
}
