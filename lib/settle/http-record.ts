import type { PlainResponse } from './http-response.ts';
import { keepResult, readResult } from './result.ts';

/** A response as it is replayed, and whether its body could be kept. */
export interface RecordedResponse {
  readonly response: PlainResponse;
  readonly bodyKept: boolean;
}

interface Kept extends Partial<PlainResponse> {
  readonly statusCode: number;
  readonly bodyNotKept?: true;
}

/**
 * The text a row keeps of a response, small enough whatever the response is: without its body when that is too
 * large, and without its headers when they are. Headers that are about one connection are none of a replay's.
 */
export function keepResponse(response: PlainResponse): string | undefined {
  const replayed = withoutConnection(response);
  const { statusCode } = replayed;
  const smaller: readonly Kept[] = [
    { ...withoutBody(replayed), bodyNotKept: true },
    { statusCode, bodyNotKept: true },
  ];
  for (const kept of [replayed, ...smaller]) {
    const text = keepResult(compact(kept));
    if (text !== undefined && readResult(text).status === 'kept') return text;
  }
  return undefined;
}

/** Reads what {@link keepResponse} kept. */
export function readResponse(text: string | undefined): RecordedResponse {
  const read = readResult(text);
  const kept = (read.status === 'kept' ? read.value : undefined) as Kept | undefined;
  return {
    response: {
      statusCode: kept?.statusCode ?? 200,
      headers: kept?.headers ?? {},
      multiValueHeaders: kept?.multiValueHeaders ?? {},
      cookies: kept?.cookies ?? [],
      body: kept?.body,
      isBase64Encoded: kept?.isBase64Encoded ?? false,
    },
    bodyKept: kept !== undefined && kept.bodyNotKept !== true,
  };
}

/** What a member's absence says already is left out: a refused claim is billed by the row's size. */
function compact({ statusCode, headers, multiValueHeaders, cookies, body, ...rest }: Kept): Kept {
  return {
    statusCode,
    ...(Object.keys(headers ?? {}).length > 0 ? { headers } : {}),
    ...(Object.keys(multiValueHeaders ?? {}).length > 0 ? { multiValueHeaders } : {}),
    ...(cookies !== undefined && cookies.length > 0 ? { cookies } : {}),
    ...(body !== undefined ? { body } : {}),
    ...(rest.isBase64Encoded ? { isBase64Encoded: true } : {}),
    ...(rest.bodyNotKept ? { bodyNotKept: true } : {}),
  };
}

const ofOneConnection = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authentication-info',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/** Says of a response that it is a replay. One that an answer brings along, from another service, is not ours. */
export const replayedHeader = 'idempotency-replayed';

/** `Connection` names further headers that end with the connection. */
function withoutConnection(response: PlainResponse): PlainResponse {
  const named = Object.entries({ ...response.headers, ...response.multiValueHeaders })
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => String(value).split(','));
  const gone = new Set([
    ...ofOneConnection,
    replayedHeader,
    ...named.map((name) => name.trim().toLowerCase()),
  ]);
  return withoutHeaders(response, (name) => gone.has(name));
}

/** Without a body its type, length and tag would say what is not so. */
function withoutBody(response: PlainResponse): PlainResponse {
  const bare = withoutHeaders(response, (name) => name.startsWith('content-') || name === 'etag');
  return { ...bare, body: undefined, isBase64Encoded: false };
}

function withoutHeaders(response: PlainResponse, isGone: (name: string) => boolean): PlainResponse {
  const { headers, multiValueHeaders } = response;
  return {
    ...response,
    headers: without(headers, isGone),
    multiValueHeaders: without(multiValueHeaders, isGone),
  };
}

function without<Value>(
  headers: Readonly<Record<string, Value>>,
  isGone: (name: string) => boolean,
): Record<string, Value> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !isGone(name.toLowerCase())));
}
