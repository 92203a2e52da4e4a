import { validateHeaderName, validateHeaderValue } from 'node:http';
import { types } from 'node:util';
import { problem } from './http-problem.ts';

type Value = string | number | boolean;

/** What a handler answers with: Lambda's own shape, for every way a request may come. */
export interface HttpResponse {
  /** 200 to 599. */
  readonly statusCode: number;
  readonly headers?: Readonly<Record<string, Value | undefined>> | undefined;
  /** Headers with several values. */
  readonly multiValueHeaders?: Readonly<Record<string, readonly Value[] | undefined>> | undefined;
  /** Each the whole value of a `Set-Cookie` header. */
  readonly cookies?: readonly string[] | undefined;
  /** A string is sent as it is, bytes (an ArrayBuffer or any view of one) as they are, anything else as JSON; not a stream, a Blob or a Response. */
  readonly body?: unknown;
  /** Whether a string body is base64 of the bytes to be sent. @default false */
  readonly isBase64Encoded?: boolean | undefined;
}

/** A response with everything filled in and nothing left to interpret. */
export interface PlainResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly multiValueHeaders: Readonly<Record<string, readonly string[]>>;
  readonly cookies: readonly string[];
  readonly body: string | undefined;
  readonly isBase64Encoded: boolean;
}

/** What a handler answered, or what is said in its place. */
export interface ReadAnswer {
  readonly status: 'usable' | 'unusable';
  readonly response: PlainResponse;
}

class UnusableAnswer extends TypeError {}

/** Reads what a handler answered. Never throws: the work is done by then. */
export function readAnswer(value: unknown): ReadAnswer {
  try {
    return { status: 'usable', response: plainResponse(value) };
  } catch (thrown) {
    // Only our own words are for the sender's eyes; a getter of the user's may say anything.
    const why = thrown instanceof UnusableAnswer ? thrown.message : undefined;
    return { status: 'unusable', response: problem('answer-unusable', why) };
  }
}

/**
 * Nothing at all is 204; a value without a status is 200 with the value as
 * JSON, as API Gateway has it.
 *
 * @throws UnusableAnswer for what could not be sent.
 */
function plainResponse(value: unknown): PlainResponse {
  if (value === undefined || value === null) return filledIn({ statusCode: 204 });
  const hasStatus = typeof value === 'object' && Reflect.get(value, 'statusCode') !== undefined;
  if (hasStatus) return filledIn(value as HttpResponse);
  return filledIn({ statusCode: 200, headers: jsonHeaders, body: jsonOf(value) });
}

const jsonHeaders = { 'content-type': 'application/json' };

function filledIn(response: HttpResponse): PlainResponse {
  const statusCode = Number(response.statusCode);
  if (!Number.isInteger(statusCode) || statusCode < 200 || statusCode > 599) {
    throw new UnusableAnswer(`statusCode is ${JSON.stringify(response.statusCode)}; give 200 to 599`);
  }
  const headers = mapped(response.headers, String);
  const multiValueHeaders = mapped(response.multiValueHeaders, (values) => Array.from(values, String));
  const cookies = Array.from(response.cookies ?? [], String);
  for (const [name, value] of Object.entries(headers)) sendable(name, [value]);
  for (const [name, values] of Object.entries(multiValueHeaders)) sendable(name, values);
  sendable('set-cookie', cookies);
  const { body, isJson, isBase64Encoded } = bodyOf(response);
  const isTyped = [...Object.keys(headers), ...Object.keys(multiValueHeaders)].some(isContentType);
  return {
    statusCode,
    headers: isJson && !isTyped ? { ...headers, ...jsonHeaders } : headers,
    multiValueHeaders,
    cookies,
    body,
    isBase64Encoded,
  };
}

/** Found out when it is sent, it would be recorded already, and no retry would ever be answered. */
function sendable(name: string, values: readonly string[]): void {
  try {
    validateHeaderName(name);
  } catch {
    throw new UnusableAnswer('a header has a name that no header can have; give letters, digits and hyphens');
  }
  try {
    for (const value of values) validateHeaderValue(name, value);
  } catch {
    throw new UnusableAnswer(
      `the header ${JSON.stringify(name)} has a value that no header can have; give one line of Latin-1, the rest encoded`,
    );
  }
}

function isContentType(name: string): boolean {
  return name.toLowerCase() === 'content-type';
}

function mapped<Given, Taken>(
  given: Readonly<Record<string, Given | null | undefined>> | null | undefined,
  take: (value: Given) => Taken,
): Record<string, Taken> {
  const entries = Object.entries(given ?? {}).flatMap(([name, value]): [string, Taken][] =>
    value === undefined || value === null ? [] : [[name, take(value)]],
  );
  return Object.fromEntries(entries);
}

function bodyOf({ body, isBase64Encoded = false }: HttpResponse) {
  if (body === undefined || body === null) return { body: undefined, isJson: false, isBase64Encoded: false };
  if (typeof body === 'string') return { body, isJson: false, isBase64Encoded };
  const bytes = bytesOf(body);
  if (bytes !== undefined) return { body: bytes.toString('base64'), isJson: false, isBase64Encoded: true };
  return { body: jsonOf(body), isJson: true, isBase64Encoded: false };
}

function bytesOf(body: unknown): Buffer | undefined {
  if (ArrayBuffer.isView(body)) return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  return types.isAnyArrayBuffer(body) ? Buffer.from(body) : undefined;
}

/** Of a Blob, a Request or Response, a stream of the web or of Node, a promise: what comes later than JSON is written. */
const comingLater = ['arrayBuffer', 'getReader', 'pipe', 'then', Symbol.asyncIterator] as const;

function jsonOf(value: unknown): string {
  if (isYetToCome(value)) {
    throw new UnusableAnswer(
      'the body is a stream, a Blob, a Response or a promise; read it first, and give a string or bytes',
    );
  }
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch {
    throw new UnusableAnswer('the body cannot be written as JSON; give a string or plain values');
  }
  if (text !== undefined) return text;
  throw new UnusableAnswer(`the body is ${typeof value}; give a string, a Uint8Array or what JSON can hold`);
}

function isYetToCome(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || typeof Reflect.get(value, 'toJSON') === 'function') {
    return false;
  }
  return comingLater.some((name) => typeof Reflect.get(value, name) === 'function');
}
