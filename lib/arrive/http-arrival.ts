import { isNamed, type NoKeyError, wantedBackAfterSeconds } from '../errors.ts';
import type { ReceiverSettings } from '../receiver-settings.ts';
import { problem, retryAfterSeconds } from '../settle/http-problem.ts';
import type { PlainResponse } from '../settle/http-response.ts';
import type { Work } from '../words.ts';
import { parseBody } from './body.ts';
import { requestFingerprint } from './http-fingerprint.ts';
import { headerKey } from './http-key.ts';
import type { HttpRequest, ReceivedRequest } from './http-request.ts';
import { checkedKey } from './key.ts';
import { callerScope, rowKey } from './row-key.ts';

/** A request that is guarded, with everything the engine needs of it, captured before user code can touch it. */
export interface RequestArrival<Body> extends Work {
  readonly fingerprint: string;
  readonly request: ReceivedRequest<Body>;
}

export type RequestReading<Body> =
  | { readonly status: 'guarded'; readonly arrival: RequestArrival<Body> }
  /** Its method is not one of those, or it has no key and needs none. */
  | { readonly status: 'unguarded'; readonly request: ReceivedRequest<Body> }
  /** Nothing is claimed and nothing runs. */
  | { readonly status: 'refused'; readonly response: PlainResponse };

/** Reads a request. What `caller` throws comes through; anything else of the user's is an answer. */
export async function arriveRequest<Body>(
  request: HttpRequest,
  settings: ReceiverSettings<Body>,
  requestId: string,
): Promise<RequestReading<Body>> {
  if (!settings.methods.has(request.method)) {
    return { status: 'unguarded', request: received(request, undefined as Body, undefined) };
  }
  const scope = await scopeOf(request, settings);
  if (scope === undefined) return refused(problem('caller-unknown'));
  const body = await bodyOf(request, settings);
  if (body.status === 'refused') return body;
  const key = keyOf(request, body.value, settings);
  if (key.status === 'refused') return key;
  if (key.value === undefined) {
    return { status: 'unguarded', request: received(request, body.value, undefined) };
  }
  const claimKey = rowKey(scope, key.value);
  const arrival: RequestArrival<Body> = {
    rowKey: claimKey,
    toldAs: claimKey,
    messageId: requestId,
    fifoGroup: undefined,
    fingerprint: requestFingerprint(request, settings.volatile),
    request: received(request, body.value, key.value),
  };
  return { status: 'guarded', arrival };
}

function received<Body>(request: HttpRequest, body: Body, key: string | undefined): ReceivedRequest<Body> {
  return Object.freeze({ ...request, body, key });
}

type Refused = Extract<RequestReading<never>, { status: 'refused' }>;
type Read<Value> = { readonly status: 'read'; readonly value: Value } | Refused;

function refused(response: PlainResponse): Refused {
  return { status: 'refused', response };
}

/** No caller's name is blank, so `'public'` meets none of them. */
async function scopeOf<Body>(
  request: HttpRequest,
  { scope, options }: ReceiverSettings<Body>,
): Promise<string | undefined> {
  if (options.caller === 'public') return callerScope(scope, '');
  const caller = await options.caller({ request });
  return typeof caller === 'string' && caller.trim() !== '' ? callerScope(scope, caller) : undefined;
}

/** Without `schema` and `parse` nobody said that the body is JSON, so anything else is let through unread. */
async function bodyOf<Body>(request: HttpRequest, { options }: ReceiverSettings<Body>): Promise<Read<Body>> {
  const { schema, parse } = options;
  const text = Buffer.from(request.bytes).toString('utf8');
  const parsed = await parseBody<Body>(text, { schema, parse });
  if (parsed.status === 'parsed') return { status: 'read', value: parsed.body };
  const { error } = parsed;
  const afterSeconds = wantedBackAfterSeconds(error);
  if (afterSeconds !== undefined) {
    return refused(problem('unavailable', undefined, retryAfterSeconds(afterSeconds * 1_000)));
  }
  if (schema === undefined && parse === undefined) return { status: 'read', value: undefined as Body };
  return refused(problem('body-unreadable', error.message));
}

function keyOf<Body>(
  request: HttpRequest,
  body: Body,
  { options, requireKey }: ReceiverSettings<Body>,
): Read<string | undefined> {
  const found =
    options.key === undefined ? headerKey(request.headers) : givenKey(() => options.key?.({ body, request }));
  if (found.status === 'key') return { status: 'read', value: found.key };
  if (found.status === 'malformed') return refused(problem('key-malformed', found.why));
  if (!requireKey) return { status: 'read', value: undefined };
  return refused(
    problem(
      'key-missing',
      options.key === undefined ? 'send it in the header Idempotency-Key' : 'the request names none',
    ),
  );
}

function givenKey(make: () => unknown): ReturnType<typeof headerKey> {
  try {
    const value = make();
    return value === undefined || value === null
      ? { status: 'missing' }
      : { status: 'key', key: checkedKey(value) };
  } catch (thrown) {
    // What the user's function says may quote the body; our own words never do.
    const why = isNamed(thrown, 'NoKeyError') ? (thrown as NoKeyError).message : 'the key function threw';
    return { status: 'malformed', why };
  }
}
