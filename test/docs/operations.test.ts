// Law: the figures under capacity and cost follow from the work and the prices stated beside them.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { root } from '../../scripts/docs/pages.ts';
import { tablesOf } from '../support/page-tables.ts';

type Rows = readonly (readonly string[])[];
type Given = Readonly<Record<string, number>>;
/** A row of figures: from messages a second and what is given, as it stands on the page. */
type Figure = (rate: number, given: Given) => string;

const page = readFileSync(`${root}/docs/operations.md`, 'utf8');
const rates = [10, 1_000, 10_000];

const digits = (value: number): string => value.toLocaleString('en-US', { maximumSignificantDigits: 3 });
const whole = (value: number): string => digits(Math.ceil(Number(value.toPrecision(12))));
const money = digits;

/** Claim and settle; a settle in a transaction counts double, as does each write beside it. */
const claimFirst = (rate: number): number => (1 + 1) * rate;
const collected = (rate: number, { w }: Given): number => (1 + 2 + 2 * of(w)) * rate;
const withCommit = (rate: number, { w }: Given): number => (2 + 2 * of(w)) * rate;
/** Its release, and the refused and the won claim of the next attempt. */
const failures = (rate: number, { f }: Given): number => (1 + 1 + 1) * rate * (of(f) / 100);
const gigabytes = (rate: number, { k, s }: Given): number => (rate * 86_400 * of(k) * of(s) * 1_000) / 1e9;

const monthlySeconds = 730 * 3_600;
const onDemand = (units: number, { p }: Given): string => money((units * monthlySeconds * of(p)) / 1e6);

const capacity: Readonly<Record<string, Figure>> = {
  "write units a second, `claim: 'first'`": (rate) => digits(claimFirst(rate)),
  'write units a second with collected writes': (rate, given) => digits(collected(rate, given)),
  "write units a second, `'with-commit'`": (rate, given) => digits(withCommit(rate, given)),
  'more of them for failures': (rate, given) => digits(failures(rate, given)),
  "partitions at least, `claim: 'first'`": (rate) => whole(claimFirst(rate) / 1_000),
  'concurrent invocations': (rate, { t, b, c }) => whole((rate / of(b)) * ((of(t) * of(b)) / of(c))),
  'in flight, of 120,000': (rate, { t, b, c, d, f }) =>
    whole((rate * of(t) * of(b)) / of(c) + ((rate * of(f)) / 100) * of(d)),
  'event pollers in provisioned mode': (rate, { b, m }) =>
    whole(Math.max(rate / of(b) / 10, (rate * of(m)) / 1_000, 2)),
  'GB of claims': (rate, given) => digits(gigabytes(rate, given)),
};

const cost: Readonly<Record<string, Figure>> = {
  "on demand, `claim: 'first'`": (rate, given) => onDemand(claimFirst(rate), given),
  'on demand with collected writes': (rate, given) => onDemand(collected(rate, given), given),
  "on demand, `'with-commit'`": (rate, given) => onDemand(withCommit(rate, given), given),
  "provisioned, `claim: 'first'`": (rate, { h }) => money(claimFirst(rate) * 730 * of(h)),
  storage: (rate, given) => money(gigabytes(rate, given) * of(given.g)),
  'point-in-time recovery': (rate, given) => money(gigabytes(rate, given) * of(given.q)),
};

function of(value: number | undefined): number {
  if (value === undefined) throw new Error('the page does not state it');
  return value;
}

/** The tables of a part of the page. */
function tablesUnder(text: string, heading: string): readonly Rows[] {
  const [part = ''] = text.slice(text.indexOf(`\n## ${heading}\n`) + 1).split(/\n(?=## )/);
  return tablesOf(part);
}

/** Letters and what stands for them: `*t*` … `0.1`. */
const stated = (rows: Rows): Given =>
  Object.fromEntries(rows.map(([letter = '', , value = '']) => [letter.replaceAll('*', ''), Number(value)]));

function parts(text: string) {
  const [work = [], sizes = []] = tablesUnder(text, 'Capacity on paper');
  const [prices = [], bill = []] = tablesUnder(text, 'Cost on paper');
  return { given: { ...stated(work), ...stated(prices) }, figures: [...sizes, ...bill], prices };
}

const shown = (rows: Rows) => Object.fromEntries(rows.map(([name = '', , ...cells]) => [name, cells]));

function due(given: Given) {
  const rows = Object.entries({ ...capacity, ...cost });
  return Object.fromEntries(rows.map(([name, figure]) => [name, rates.map((rate) => figure(rate, given))]));
}

describe('the figures under capacity and cost', () => {
  it('follow from the work and the prices stated beside them', () => {
    const { figures, given } = parts(page);
    expect(shown(figures)).toEqual(due(given));
  });

  it.each([
    ['a figure', '| 32.9 | 3,290 | 32,900 |', '| 32.9 | 3,290 | 32,400 |'],
    ['a price', '| 0.625 |', '| 1.25 |'],
    ['a price', '| 0.20 |', '| 0.25 |'],
    ['the work', '| 0.1 |', '| 0.5 |'],
    ['the retention', '| 29 |', '| 57 |'],
  ])('are seen to be off when %s is another', (_, from, to) => {
    expect(page).toContain(from);
    const { figures, given } = parts(page.replace(from, to));
    expect(shown(figures)).not.toEqual(due(given));
  });
});

describe('a price', () => {
  it.each(parts(page).prices)(
    '%s, %s: has its Region, month and AWS page, and says to check it',
    (...row) => {
      const [, , , place, source, state] = row;
      expect(place).toMatch(
        /^[a-z]{2}-[a-z]+-\d, (January|February|March|April|May|June|July|August|September|October|November|December) 20\d\d$/,
      );
      expect(source).toMatch(/\(https:\/\/aws\.amazon\.com\/dynamodb\/pricing\/[a-z-]+\/\)$/);
      expect(state).toBe('check before use');
    },
  );
});
