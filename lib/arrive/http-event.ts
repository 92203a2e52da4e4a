import { ConfigurationError } from '../errors.ts';
import { type HttpRequest, headersOf } from './http-request.ts';

/**
 * The shapes in which Lambda hands over a request and wants its answer. `v2` is an HTTP API's and a function
 * URL's; `alb-multi` is a load balancer's with multi-value headers switched on.
 */
export type EventKind = 'v1' | 'v2' | 'alb' | 'alb-multi';

/** A request that came as an event. */
export interface RequestEvent {
  readonly request: HttpRequest;
  /** The id the sender's request has in the logs of what brought it. */
  readonly requestId: string | undefined;
}

type Headers = Readonly<Record<string, string | undefined>> | null;
type MultiValues = Readonly<Record<string, readonly string[] | undefined>> | null;

interface AnyEvent {
  readonly version?: unknown;
  readonly httpMethod?: unknown;
  readonly path?: unknown;
  readonly rawPath?: unknown;
  readonly rawQueryString?: unknown;
  readonly headers?: Headers;
  readonly multiValueHeaders?: MultiValues;
  readonly queryStringParameters?: Headers;
  readonly multiValueQueryStringParameters?: MultiValues;
  readonly cookies?: readonly string[] | null;
  readonly body?: unknown;
  readonly isBase64Encoded?: boolean;
  readonly requestContext?: {
    readonly elb?: unknown;
    readonly http?: { readonly method?: unknown };
    readonly path?: unknown;
    readonly stage?: unknown;
    readonly requestId?: unknown;
  };
}

/**
 * Reads an event of API Gateway (REST and HTTP API, payload 1.0 and 2.0), a function URL or a load balancer.
 *
 * @throws ConfigurationError for any other event, and for a body that somebody has parsed already.
 */
export function requestFromEvent(original: unknown): RequestEvent {
  const kind = eventKind(original);
  const event = original as AnyEvent;
  const { requestId } = event.requestContext ?? {};
  const request: HttpRequest = Object.freeze({
    ...(kind === 'v2' ? addressV2(event) : addressV1(event, kind)),
    headers: headersIn(event),
    bytes: bytesOf(event),
    original,
  });
  return { request, requestId: typeof requestId === 'string' ? requestId : undefined };
}

/**
 * Tells the kinds apart.
 *
 * @throws ConfigurationError for an event that is no request.
 */
export function eventKind(original: unknown): EventKind {
  const event = (typeof original === 'object' && original !== null ? original : {}) as AnyEvent;
  const context = event.requestContext;
  if (context?.elb !== undefined) return event.multiValueHeaders ? 'alb-multi' : 'alb';
  if (typeof context?.http?.method === 'string' && typeof event.rawPath === 'string') return 'v2';
  if (context !== undefined && typeof event.httpMethod === 'string') return 'v1';
  throw new ConfigurationError(
    'the event is no HTTP request of API Gateway, a function URL or a load balancer; this receiver takes no other',
  );
}

type Address = Pick<HttpRequest, 'method' | 'path' | 'query'>;

function addressV2({ rawPath, rawQueryString, requestContext }: AnyEvent): Address {
  return {
    method: String(requestContext?.http?.method).toUpperCase(),
    path: withoutStage(String(rawPath), requestContext?.stage),
    query: String(rawQueryString ?? ''),
  };
}

function addressV1(event: AnyEvent, kind: EventKind): Address {
  const { httpMethod, requestContext } = event;
  const path = String(event.path ?? '/');
  return {
    method: String(httpMethod).toUpperCase(),
    // A REST API's path has no stage, an HTTP API's with payload 1.0 has it and says so twice.
    path: requestContext?.path === path ? withoutStage(path, requestContext.stage) : path,
    query: queryOf(event, kind),
  };
}

/** `$default` has no prefix; behind a domain of one's own there may be none either. */
function withoutStage(path: string, stage: unknown): string {
  const prefix = `/${String(stage)}`;
  return path === prefix || path.startsWith(`${prefix}/`) ? path.slice(prefix.length) || '/' : path;
}

/** A load balancer leaves names and values as they were written, API Gateway has decoded them. */
function queryOf(event: AnyEvent, kind: EventKind): string {
  const single = Object.entries(event.queryStringParameters ?? {}).map(([name, value]) => [name, [value]]);
  const multi = Object.entries(event.multiValueQueryStringParameters ?? {});
  const given = (multi.length > 0 ? multi : single) as [string, (string | undefined)[] | undefined][];
  // Half a surrogate pair has no percent code, and a request that passes unguarded may hold one as well.
  const encoded = (text: string) => (kind === 'v1' ? encodeURIComponent(text.toWellFormed()) : text);
  return given
    .flatMap(([name, values]) => (values ?? []).map((value) => `${encoded(name)}=${encoded(value ?? '')}`))
    .join('&');
}

function headersIn({ headers, multiValueHeaders, cookies }: AnyEvent): HttpRequest['headers'] {
  const isMulti = Object.keys(multiValueHeaders ?? {}).length > 0;
  const given = headersOf(isMulti ? multiValueHeaders : headers);
  return cookies && cookies.length > 0 ? Object.freeze({ ...given, cookie: cookies.join('; ') }) : given;
}

function bytesOf({ body, isBase64Encoded }: AnyEvent): Uint8Array {
  if (body === null || body === undefined) return new Uint8Array();
  if (typeof body === 'string') return Buffer.from(body, isBase64Encoded === true ? 'base64' : 'utf8');
  throw new ConfigurationError(
    `the request's body is of type ${typeof body}, not text; leave parsing to this receiver's schema or parse, and remove the body parser before it`,
  );
}
