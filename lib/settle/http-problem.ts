import type { PlainResponse } from './http-response.ts';

/** Why a request is not answered by its handler. */
export type ProblemName =
  | 'key-missing'
  | 'key-malformed'
  | 'body-unreadable'
  | 'caller-unknown'
  | 'in-flight'
  | 'body-too-large'
  | 'key-reused'
  | 'answer-unusable'
  | 'follow-ups-unsent'
  | 'unavailable';

const problems = {
  'key-missing': [400, 'The request needs a key'],
  'key-malformed': [400, 'The key cannot be read'],
  'body-unreadable': [400, 'The body cannot be read'],
  'caller-unknown': [403, 'The caller is not known'],
  'in-flight': [409, 'The request with this key is still running'],
  'body-too-large': [413, 'The body is too large'],
  'key-reused': [422, 'The key was used with another request'],
  'answer-unusable': [500, 'The work is done and its answer cannot be sent'],
  'follow-ups-unsent': [503, 'The work is done and something that follows is not yet sent'],
  unavailable: [503, 'Not done, try again'],
} as const satisfies Record<ProblemName, readonly [status: number, title: string]>;

/** Where the README explains the answers. */
const explained = 'https://www.npmjs.com/package/sqs-once#';

/** An answer of ours, as `application/problem+json` (RFC 9457). None is ever recorded, but for an
 * answer of the handler's own that cannot be sent. */
export function problem(name: ProblemName, detail?: string, retryAfterSeconds?: number): PlainResponse {
  const [status, title] = problems[name];
  const body = { type: explained + name, title, status, ...(detail === undefined ? {} : { detail }) };
  return {
    statusCode: status,
    headers: {
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
    },
    multiValueHeaders: {},
    cookies: [],
    body: JSON.stringify(body),
    isBase64Encoded: false,
  };
}

/** Whole seconds, at least one: a retry at once would meet the same. */
export function retryAfterSeconds(millis: number): number {
  return Math.max(1, Math.ceil(millis / 1_000));
}
