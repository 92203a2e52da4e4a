// The whole rule: what a row in the table means for a message that wants to run.
import { describe, expect, test } from 'vitest';
import { decide, type Wish } from '../../lib/claim/decide.ts';
import { skewMillis } from '../../lib/lease.ts';
import type { ClaimRow, ClaimStatus } from '../../lib/words.ts';
import { nowMillis, row, wish } from '../support/claims.ts';

const statuses = ['leased', 'released', 'completed', 'rejected', 'parked'] as const;
const purposes = ['run', 'run-alone', 'park'] as const;

function verdict(stands: ClaimRow | undefined, given: Partial<Wish> = {}): string {
  const decision = decide(stands, wish(given));
  return decision.status === 'free' ? `free, ${decision.taking}` : decision.status;
}

const lapsed = (given: Partial<ClaimRow> = {}) => row({ leaseEndsAt: nowMillis - skewMillis, ...given });
const expired = (status: ClaimStatus, given: Partial<ClaimRow> = {}) =>
  row({
    status,
    expiresAt: Math.floor(nowMillis / 1_000),
    ...(status === 'leased' ? { leaseEndsAt: nowMillis - 60_000 } : {}),
    ...given,
  });

describe('where no row stands', () => {
  test.each(purposes)('a message is free to %s', (purpose) => {
    expect(verdict(undefined, { purpose })).toBe('free, absent');
  });

  test.each([
    ['run', 'beyond-retention'],
    ['run-alone', 'beyond-retention'],
    ['park', 'free, absent'],
  ] as const)('one that outlived its row may not run, only be parked: %s', (purpose, expected) => {
    expect(verdict(undefined, { purpose, outlivedItsRow: true })).toBe(expected);
    for (const status of statuses) {
      expect(verdict(expired(status), { purpose, outlivedItsRow: true })).toBe(
        expected.replace('absent', 'expired'),
      );
    }
  });
});

describe('a lease', () => {
  test.each([
    [-1, 'in-flight'],
    [0, 'free, continued'],
    [1, 'free, continued'],
  ])('frees its claim at the tick lease end plus skew, neither before nor after: %i', (ticks, expected) => {
    const stands = row({ leaseEndsAt: nowMillis });
    expect(verdict(stands, { purpose: 'run-alone', nowMillis: nowMillis + skewMillis + ticks })).toBe(
      expected,
    );
  });

  test.each(purposes)('that runs is in flight, whatever is wanted: %s', (purpose) => {
    const mark = { id: 'redrive-1' };
    for (const given of [{}, { mark }, { messageId: 'another' }, { maxAttempts: 1 }]) {
      expect(verdict(row({ attempts: 5 }), { purpose, ...given })).toBe('in-flight');
    }
  });

  test('that cannot be read is held as long as the row lives, and no longer', () => {
    const expiresAt = Math.ceil(nowMillis / 1_000) + 10 * 365 * 86_400;
    const { leaseEndsAt: _, ...stands } = row({ expiresAt });
    const endMillis = stands.expiresAt * 1_000;
    for (const purpose of purposes) {
      expect(verdict(stands, { purpose, nowMillis })).toBe('in-flight');
      expect(verdict(stands, { purpose, nowMillis: endMillis - 1 })).toBe('in-flight');
      expect(verdict(stands, { purpose, nowMillis: endMillis })).toBe('free, expired');
    }
  });

  test.each([
    ['run', 'abandoned'],
    ['run-alone', 'free, continued'],
    ['park', 'free, continued'],
  ] as const)('that lapsed lets nobody run beside others: %s', (purpose, expected) => {
    expect(verdict(lapsed(), { purpose })).toBe(expected);
  });
});

describe('attempts', () => {
  const limits = [
    [1, 'free, continued'],
    [2, 'exhausted'],
    [3, 'exhausted'],
  ] as const;

  test.each(limits)('%i of 2 after a release', (attempts, expected) => {
    const stands = row({ status: 'released', attempts });
    expect(verdict(stands, { maxAttempts: 2 })).toBe(expected);
    expect(verdict(stands, { maxAttempts: 2, purpose: 'park' })).toBe('free, continued');
  });

  test.each(limits)('%i of 2 after a lapse', (attempts, expected) => {
    expect(verdict(lapsed({ attempts }), { maxAttempts: 2, purpose: 'run-alone' })).toBe(expected);
    expect(verdict(lapsed({ attempts }), { maxAttempts: 2, purpose: 'park' })).toBe('free, continued');
  });

  test('that are used up are told before anybody waits to run alone', () => {
    expect(verdict(lapsed({ attempts: 5 }))).toBe('exhausted');
  });
});

describe('a recorded outcome', () => {
  test.each(['completed', 'rejected'] as const)('%s makes a duplicate of whatever comes', (status) => {
    const stands = row({ status, attempts: 9 });
    for (const purpose of purposes) {
      for (const given of [
        {},
        { mark: { id: 'redrive-1' } },
        { messageId: 'another' },
        { outlivedItsRow: true },
      ]) {
        expect(verdict(stands, { purpose, ...given })).toBe('duplicate');
      }
    }
  });
});

describe('a lapsed claim that was taken only to park', () => {
  const stands = lapsed({ attempts: 0 });

  test('need not be feared: what follows runs beside others', () => {
    expect(verdict(stands, { purpose: 'run' })).toBe('free, continued');
  });

  test('vouches for nothing: a message that outlived its row is still parked for a person', () => {
    expect(verdict(stands, { purpose: 'run', outlivedItsRow: true })).toBe('beyond-retention');
    expect(verdict(stands, { purpose: 'run-alone', outlivedItsRow: true })).toBe('beyond-retention');
    expect(verdict(stands, { purpose: 'park', outlivedItsRow: true })).toBe('free, continued');
    expect(verdict(lapsed({ attempts: 1 }), { purpose: 'run-alone', outlivedItsRow: true })).toBe(
      'free, continued',
    );
  });
});

describe('a parked message', () => {
  const stands = row({ status: 'parked', parkId: 'park-2', attempts: 5, redrive: 'park-1' });

  test.each([
    ['delivered late under its own id', {}, 'parked'],
    ['redriven by SQS under another id', { messageId: 'message-2' }, 'free, reopened'],
    ['with a mark that names this parking', { mark: { id: 'park-2' } }, 'free, reopened'],
    ['with a mark that names it through SQS', { mark: { id: 'other', parkId: 'park-2' } }, 'free, reopened'],
    ['with a mark that counted before', { messageId: 'message-2', mark: { id: 'park-1' } }, 'parked'],
    ['with the mark of another message of its key', { mark: { id: 'park-3' } }, 'free, reopened'],
  ] satisfies [string, Partial<Wish>, string][])('%s', (_, given, expected) => {
    expect(verdict(stands, given)).toBe(expected);
  });

  test('without a park id is not named by a mark without one', () => {
    const { parkId: _, ...unnamed } = stands;
    expect(verdict(unnamed, { mark: { id: 'park-1' } })).toBe('parked');
  });
});

describe('a redrive mark on a row that is not parked', () => {
  const fresh = { mark: { id: 'redrive-2' } };
  const honoured = { mark: { id: 'redrive-1' } };

  test.each([1, 5])('counts once: after %i attempts of 5, released', (attempts) => {
    const stands = row({ status: 'released', attempts, redrive: 'redrive-1' });
    expect(verdict(stands, fresh)).toBe('free, reopened');
    expect(verdict(stands, honoured)).toBe(attempts === 5 ? 'exhausted' : 'free, continued');
  });

  test.each([1, 5])('counts once: after %i attempts of 5, lapsed, and still runs alone', (attempts) => {
    const stands = lapsed({ attempts, redrive: 'redrive-1' });
    expect(verdict(stands, fresh)).toBe('abandoned');
    expect(verdict(stands, { ...fresh, purpose: 'run-alone' })).toBe('free, reopened');
    expect(verdict(stands, { ...honoured, purpose: 'run-alone' })).toBe(
      attempts === 5 ? 'exhausted' : 'free, continued',
    );
  });
});

describe('an expired row', () => {
  test.each(statuses)('that was %s is free afresh at the very second, and not a tick before', (status) => {
    const stands = expired(status);
    const endMillis = stands.expiresAt * 1_000;
    expect(verdict(stands, { nowMillis: endMillis })).toBe('free, expired');
    expect(verdict(stands, { nowMillis: endMillis + 1 })).toBe('free, expired');
    expect(verdict(stands, { nowMillis: endMillis - 1 })).not.toBe('free, expired');
  });

  test('does not free a lease that still runs', () => {
    expect(verdict(expired('leased', { leaseEndsAt: nowMillis - skewMillis + 1 }))).toBe('in-flight');
  });

  test('has forgotten its fingerprint, attempts and marks', () => {
    const stands = expired('released', { fingerprint: 'v1:a', attempts: 5, redrive: 'redrive-1' });
    expect(verdict(stands, { fingerprint: 'v1:b', mark: { id: 'redrive-1' } })).toBe('free, expired');
  });
});

describe('a fingerprint', () => {
  const unexpired = statuses.map((status) => row({ status, fingerprint: 'v1:a', messageId: 'other' }));

  test.each(purposes)('of another payload stops a message whatever stands there: %s', (purpose) => {
    for (const stands of [...unexpired, lapsed({ fingerprint: 'v1:a' })]) {
      expect(verdict(stands, { purpose, fingerprint: 'v1:b' })).toBe('key-reused');
    }
  });

  test.each([['v1:a'], ['v2:b'], [undefined]])('%s proves no other payload', (fingerprint) => {
    for (const stands of unexpired) {
      expect(verdict(stands, fingerprint === undefined ? {} : { fingerprint })).not.toBe('key-reused');
    }
  });

  test('that the row never had proves nothing', () => {
    expect(verdict(row({ status: 'completed' }), { fingerprint: 'v1:b' })).toBe('duplicate');
  });
});

test.each([
  ['lapsed', lapsed({ attempts: 1 })],
  ['given back by one that never started', row({ status: 'released', attempts: 1, reason: 'end-unknown' })],
] as const)(
  'a message brought back over an attempt without an end runs alone, whether the row is %s',
  (_, stands) => {
    const mark = { id: 'a redrive' };
    expect(decide(stands, wish({ mark, purpose: 'run' }))).toMatchObject({
      status: 'abandoned',
      isBroughtBack: true,
    });
    expect(verdict(stands, { mark, purpose: 'run-alone' })).toBe('free, reopened');
  },
);
