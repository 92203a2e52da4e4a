// What of a row goes on with the next claim, and what starts afresh.
import { describe, expect, test } from 'vitest';
import { claimRow } from '../../lib/claim/claim-row.ts';
import type { Decision, Taking, Wish } from '../../lib/claim/decide.ts';
import type { ClaimRow } from '../../lib/words.ts';
import { nowMillis, row, termsAt, wish } from '../support/claims.ts';

const earlierMillis = nowMillis - 3_600_000;
const before = row({
  status: 'released',
  fence: 7,
  owner: 'the-last',
  attempts: 3,
  firstClaimedAt: earlierMillis,
  claimedAt: earlierMillis + 60_000,
  settledAt: earlierMillis + 61_000,
  fingerprint: 'v1:a',
  lastError: 'Error: no',
  reason: 'held',
  result: '1',
  followUps: ['f'],
  followUpsSent: 0,
  parkId: 'park-1',
  parkSent: true,
  redrive: 'redrive-1',
  effects: 12,
});

function taken(taking: Taking, given: Partial<Wish> = {}, over: ClaimRow | undefined = before): ClaimRow {
  const free: Decision = { status: 'free', taking, over: taking === 'absent' ? undefined : over };
  return claimRow('scope#key', free, wish({ owner: 'the-next', ...given }), termsAt(nowMillis));
}

describe('a claim', () => {
  test.each(['absent', 'expired', 'continued', 'reopened'] as const)('is its own: %s', (taking) => {
    expect(taken(taking, { messageId: 'message-9' })).toMatchObject({
      claim: 'scope#key',
      status: 'leased',
      owner: 'the-next',
      messageId: 'message-9',
      claimedAt: nowMillis,
      ...termsAt(nowMillis),
      version: 1,
    });
  });

  test.each([
    ['absent', 1],
    ['expired', 8],
    ['continued', 8],
    ['reopened', 8],
  ] as const)('raises the fence of whatever stood there: %s', (taking, fence) => {
    expect(taken(taking).fence).toBe(fence);
  });

  test.each([
    ['absent', 1, 0],
    ['expired', 1, 0],
    ['continued', 4, 3],
    ['reopened', 1, 0],
  ] as const)('counts attempts on, or from the start, and parking is none: %s', (taking, run, park) => {
    expect(taken(taking, { purpose: 'run' }).attempts).toBe(run);
    expect(taken(taking, { purpose: 'run-alone' }).attempts).toBe(run);
    expect(taken(taking, { purpose: 'park' }).attempts).toBe(park);
  });

  test.each([
    ['absent', nowMillis],
    ['expired', nowMillis],
    ['continued', earlierMillis],
    ['reopened', earlierMillis],
  ] as const)('keeps the age of the work over all but expiry: %s', (taking, firstClaimedAt) => {
    expect(taken(taking).firstClaimedAt).toBe(firstClaimedAt);
  });

  test('is as old as its mark says where that knows more', () => {
    const mark = { id: 'redrive-2', firstClaimedAt: earlierMillis - 1 };
    expect(taken('absent', { mark }).firstClaimedAt).toBe(earlierMillis - 1);
    expect(taken('reopened', { mark }).firstClaimedAt).toBe(earlierMillis - 1);
    expect(taken('reopened', { mark: { ...mark, firstClaimedAt: nowMillis } }).firstClaimedAt).toBe(
      earlierMillis,
    );
  });

  test.each(['absent', 'expired', 'continued', 'reopened'] as const)(
    'has neither outcome, parking, follow-ups nor reason of another: %s',
    (taking) => {
      for (const name of [
        'result',
        'reason',
        'followUps',
        'followUpsSent',
        'parkId',
        'parkSent',
        'settledAt',
      ]) {
        expect(taken(taking)).not.toHaveProperty(name);
      }
    },
  );

  test('tells the last error for as long as attempts go on', () => {
    expect(taken('continued').lastError).toBe('Error: no');
    expect(taken('reopened').lastError).toBe('Error: no');
    expect(taken('expired')).not.toHaveProperty('lastError');
  });

  test('keeps the fingerprint that was recorded first where it brings none', () => {
    expect(taken('continued').fingerprint).toBe('v1:a');
    expect(taken('continued', { fingerprint: 'v2:b' }).fingerprint).toBe('v2:b');
    expect(taken('expired')).not.toHaveProperty('fingerprint');
  });
});

describe('a redrive mark', () => {
  test('is remembered by the claim that honours it, with the generation of effects it asks for', () => {
    const mark = { id: 'redrive-2', effects: 34 };
    for (const taking of ['absent', 'expired'] as const) {
      expect(taken(taking, { mark })).toMatchObject({ redrive: 'redrive-2', effects: 34 });
    }
    expect(taken('reopened', { mark })).toMatchObject({ redrive: 'redrive-1\nredrive-2', effects: 34 });
  });

  test('that asks for no new effects leaves the generation as it is', () => {
    expect(taken('reopened', { mark: { id: 'redrive-2' } })).toMatchObject({
      redrive: 'redrive-1\nredrive-2',
      effects: 12,
    });
  });

  test('honoured once stays honoured: its late copy is none after a redrive without a mark', () => {
    expect(taken('reopened')).toMatchObject({ redrive: 'redrive-1', effects: 12 });
    expect(taken('continued', { mark: { id: 'redrive-1' } })).toMatchObject({
      redrive: 'redrive-1',
      effects: 12,
    });
  });
});
