// sqs-once claims, for people on call.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callerScope, rowKey, unkeyedRowKey } from '../../lib/arrive/row-key.ts';
import { claimsCommand } from '../../lib/cli/claims.ts';
import { type LocalAws, startLocalAws } from '../../lib/local/local-aws.ts';
import { dynamoClaims } from '../../lib/store/dynamo.ts';
import { row } from '../support/claims.ts';
import { runCommand } from './run-command.ts';

let aws: LocalAws;
let table: string;
const before = { ...process.env };
beforeAll(async () => {
  aws = await startLocalAws();
  table = await aws.createClaimTable();
  Object.assign(process.env, aws.env, { SQS_ONCE_TABLE: table });
});
afterAll(async () => {
  process.env = before;
  await aws.stop();
});

const cli = (_claims: string, ...args: string[]) => runCommand(claimsCommand(), args);

describe('sqs-once claims', () => {
  const on = async (scope: string, given: Parameters<typeof row>[0]) => {
    const claims = dynamoClaims({ client: aws.dynamo(), tableName: table });
    const standing = row({ claim: rowKey(scope, 'A-17'), expiresAt: 4_000_000_000, ...given });
    await claims.acquire(standing, undefined, { timeoutMillis: 5_000 });
    return () => claims.read(standing.claim, { timeoutMillis: 5_000 });
  };

  test('show tells what the table knows, without what the handler returned', async () => {
    await on('shown', { status: 'completed', result: '{"card":"4242"}', reason: 'because' });
    const { code, out } = await cli('claims', 'show', '--scope', 'shown', 'A-17');
    expect(code).toBe(0);
    expect(out).toMatch(/status +│ completed/);
    expect(out).toContain('kept, 15 characters');
    expect(out).not.toContain('4242');
    expect((await cli('claims', 'show', '--scope', 'shown', 'A-18')).code).toBe(3);
  });

  test('release lets a failed claim run again: the fence rises and nothing is deleted', async () => {
    const read = await on('released', { status: 'released', attempts: 5, fence: 5, lastError: 'Error: no' });
    const { code } = await cli('claims', 'release', '--scope', 'released', 'A-17');
    expect(code).toBe(0);
    expect(await read()).toMatchObject({ status: 'released', attempts: 0, fence: 6, lastError: 'Error: no' });
  });

  test('release --park lets a held group go on without the message', async () => {
    const read = await on('held', { status: 'released', attempts: 5, fence: 5, reason: 'poison' });
    await cli('claims', 'release', '--scope', 'held', 'A-17', '--park');
    expect(await read()).toMatchObject({ status: 'released', attempts: 5, fence: 6, reason: 'let-go' });
  });

  test.each(['completed', 'rejected'] as const)(
    'release refuses a claim that is %s: its work would be done again',
    async (status) => {
      const read = await on(status, { status });
      const before = await read();
      const { code, err } = await cli('claims', 'release', '--scope', status, 'A-17', '--yes');
      expect({ code, row: await read() }).toEqual({ code: 1, row: before });
      expect(err).toContain('would be done again');
    },
  );

  test('release of a running claim wants to be meant', async () => {
    const read = await on('running', { status: 'leased', leaseEndsAt: Date.now() + 60_000 });
    expect(await cli('claims', 'release', '--scope', 'running', 'A-17')).toMatchObject({ code: 1 });
    expect((await read())?.status).toBe('leased');
    expect(await cli('claims', 'release', '--scope', 'running', 'A-17', '--yes')).toMatchObject({ code: 0 });
    expect((await read())?.status).toBe('released');
  });

  test('a receiver’s claims are named by its caller', async () => {
    await on(callerScope('checkout', 'ann'), { status: 'completed' });
    await on(callerScope('checkout', ''), { status: 'released' });
    const status = async (...args: string[]) =>
      (await cli('claims', 'show', '--scope', 'checkout', ...args, '--json', 'A-17')).out;
    expect(JSON.parse(await status('--caller', 'ann'))).toMatchObject({ status: 'completed' });
    expect(JSON.parse(await status('--public'))).toMatchObject({ status: 'released' });
    expect((await cli('claims', 'show', '--scope', 'checkout', 'A-17')).code).toBe(3);
  });

  test('is the claim of a caller, or of all of them', async () => {
    const { code, err } = await cli(
      'claims',
      'show',
      '--scope',
      'orders',
      'A-17',
      '--caller',
      'ann',
      '--public',
    );
    expect(code).toBe(1);
    expect(err).toContain("'--public' cannot be used with option '--caller <name>'");
  });

  test('a row recorded under a message id is named by it', async () => {
    const claims = dynamoClaims({ client: aws.dynamo(), tableName: table });
    const standing = row({
      claim: unkeyedRowKey('unread', 'm1'),
      status: 'parked',
      expiresAt: 4_000_000_000,
    });
    await claims.acquire(standing, undefined, { timeoutMillis: 5_000 });
    const { out } = await cli('claims', 'show', '--scope', 'unread', '--message', 'm1', '--json');
    expect(JSON.parse(out)).toMatchObject({ status: 'parked' });
  });
});
