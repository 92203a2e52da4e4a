// Every problem has a name, a status and a place in the README where its type leads.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type ProblemName, problem, retryAfterSeconds } from '../../lib/settle/http-problem.ts';

const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');

const statuses: Readonly<Record<ProblemName, number>> = {
  'key-missing': 400,
  'key-malformed': 400,
  'body-unreadable': 400,
  'caller-unknown': 403,
  'in-flight': 409,
  'body-too-large': 413,
  'key-reused': 422,
  'answer-unusable': 500,
  'follow-ups-unsent': 503,
  unavailable: 503,
};

it.each(Object.entries(statuses) as [ProblemName, number][])('%s is %i and explained', (name, status) => {
  const { statusCode, headers, body } = problem(name, 'because', 7);
  const said = JSON.parse(String(body));
  expect([statusCode, said.status]).toEqual([status, status]);
  expect(headers).toMatchObject({ 'content-type': 'application/problem+json', 'retry-after': '7' });
  expect(said).toMatchObject({ title: expect.stringMatching(/\w/), detail: 'because' });
  const anchor = String(said.type).split('#')[1];
  expect(readme).toContain(`<a id="${anchor}"></a>\`${name}\` | ${status} |`);
});

it('says nothing it does not know', () => {
  const { headers, body } = problem('in-flight');
  expect(headers).not.toHaveProperty('retry-after');
  expect(JSON.parse(String(body))).not.toHaveProperty('detail');
});

it.each([
  [0, 1],
  [1, 1],
  [1_000, 1],
  [1_001, 2],
  [59_999.5, 60],
])('%d milliseconds are %i whole seconds to wait, never none', (millis, seconds) => {
  expect(retryAfterSeconds(millis)).toBe(seconds);
});
