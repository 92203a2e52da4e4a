// Rows go to the table and come back, whatever a client or a person made of them meanwhile.
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { itemToRow, rowToItem } from '../../lib/store/row-codec.ts';
import type { ClaimRow } from '../../lib/words.ts';
import { nowMillis, row } from '../support/claims.ts';

const full: ClaimRow = row({
  claim: 'scope#kéy\u{1f600}',
  settledAt: nowMillis,
  fingerprint: 'v1:abc',
  lastError: 'Error: no',
  reason: '',
  result: '{"a":[1,"2"]}',
  followUps: ['{"one":1}', ''],
  followUpsSent: 0,
  parkId: 'park-1',
  parkSent: false,
  redrive: 'redrive-1',
  effects: nowMillis,
});

describe('a row', () => {
  test.each([
    ['with everything', full],
    ['with the least', row()],
  ])('%s comes back as it was, raw and unmarshalled', (_, given) => {
    const item = rowToItem(given);
    expect(itemToRow(item)).toEqual(given);
    expect(itemToRow(unmarshall(item))).toEqual(given);
    expect(itemToRow(JSON.parse(JSON.stringify(item)))).toEqual(given);
  });

  test('has the types the table is described with, and nothing where nothing is', () => {
    expect(rowToItem({ ...full, leaseEndsAt: 1.5 })).toMatchObject({
      claim: { S: 'scope#kéy\u{1f600}' },
      fence: { N: '1' },
      leaseEndsAt: { N: '1.5' },
      expiresAt: { N: String(full.expiresAt) },
      parkSent: { BOOL: false },
      followUps: { L: [{ S: '{"one":1}' }, { S: '' }] },
    });
    expect(Object.keys(rowToItem(row({ status: 'completed' })))).not.toContain('leaseEndsAt');
  });

  test('of a later form with more attributes is read for what is known', () => {
    expect(itemToRow({ ...rowToItem(full), version: { N: '2' }, colour: { S: 'red' } })).toEqual({
      ...full,
      version: 2,
    });
  });
});

test('a row that does not tell when it was first claimed is as old as its claim', () => {
  const { firstClaimedAt: _, ...item } = rowToItem({ ...full, claimedAt: nowMillis - 5 });
  expect(itemToRow(item).firstClaimedAt).toBe(nowMillis - 5);
});

describe('a garbled row', () => {
  const item = rowToItem(full);
  const values: readonly (AttributeValue | undefined)[] = [
    undefined,
    { S: 'soon' },
    { NULL: true },
    { BOOL: true },
    { L: [] },
    { M: {} },
    { N: 'NaN' },
    { N: '' },
  ];

  test.each(values)('has no lease that could be over: %j', (leaseEndsAt) => {
    const { leaseEndsAt: _, ...without } = item;
    const read = itemToRow(leaseEndsAt === undefined ? without : { ...without, leaseEndsAt });
    expect(read.status).toBe('leased');
    expect(read).not.toHaveProperty('leaseEndsAt');
  });

  test.each([...values, { S: 'Completed' }, { S: '' }, { N: '1' }])(
    'whose status nobody knows is held, and its lease with it: %j',
    (status) => {
      const { status: _, ...without } = item;
      const read = itemToRow(status === undefined ? without : { ...without, status });
      expect(read.status).toBe('leased');
      expect(read).not.toHaveProperty('leaseEndsAt');
    },
  );

  test.each(values)('never expires by an expiry nobody can read: %j', (expiresAt) => {
    const { expiresAt: _, ...without } = item;
    const read = itemToRow(expiresAt === undefined ? without : { ...without, expiresAt });
    expect(read.expiresAt).toBe(Number.POSITIVE_INFINITY);
  });

  test('is read without a throw, whatever it holds, into values of the right types', () => {
    const name = fc.constantFrom(...Object.keys(item), '__proto__', 'toString');
    const value = fc.oneof(
      fc.anything(),
      fc.record({ N: fc.anything() }),
      fc.record({ S: fc.anything() }),
      fc.record({ L: fc.anything() }),
    );
    fc.assert(
      fc.property(fc.dictionary(name, value), (given) => {
        const read: Record<string, unknown> = { ...itemToRow(given) };
        for (const number of ['fence', 'attempts', 'firstClaimedAt', 'claimedAt', 'version']) {
          expect(Number.isFinite(read[number])).toBe(true);
        }
        for (const text of ['claim', 'owner']) expect(read[text]).toBeTypeOf('string');
        for (const text of [
          'result',
          'reason',
          'lastError',
          'parkId',
          'redrive',
          'messageId',
          'fingerprint',
        ]) {
          expect(['string', 'undefined']).toContain(typeof read[text]);
        }
        for (const number of ['leaseEndsAt', 'settledAt', 'followUpsSent', 'effects']) {
          expect(read[number] === undefined || Number.isFinite(read[number])).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });
});
