import { STATUS_CODES } from 'node:http';
import type { EventKind } from '../arrive/http-event.ts';
import type { PlainResponse } from './http-response.ts';

/** An answer for API Gateway, a function URL or a load balancer. */
export interface LambdaResponse {
  readonly statusCode: number;
  readonly statusDescription?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly multiValueHeaders?: Readonly<Record<string, readonly string[]>>;
  readonly cookies?: readonly string[];
  readonly body?: string;
  readonly isBase64Encoded: boolean;
}

/** The answer in the shape that what brought the request reads. */
export function eventResponse(kind: EventKind, response: PlainResponse): LambdaResponse {
  const { statusCode, body, isBase64Encoded } = response;
  const common = { statusCode, ...(body === undefined ? {} : { body }), isBase64Encoded };
  switch (kind) {
    case 'v1':
      return { ...common, headers: response.headers, ...multiValued(cookiesAsHeaders(response)) };
    case 'v2':
      return { ...common, ...joined(cookiesApart(response)) };
    case 'alb':
      return { ...common, statusDescription: description(statusCode), headers: singleValued(response) };
    case 'alb-multi':
      return {
        ...common,
        statusDescription: description(statusCode),
        multiValueHeaders: allMultiValued(response),
      };
    default:
      return kind satisfies never;
  }
}

const setCookie = 'Set-Cookie';

type MultiValues = PlainResponse['multiValueHeaders'];

function multiValued(multiValueHeaders: MultiValues): { multiValueHeaders?: MultiValues } {
  return Object.keys(multiValueHeaders).length === 0 ? {} : { multiValueHeaders };
}

function cookiesAsHeaders({ multiValueHeaders, cookies }: PlainResponse): MultiValues {
  if (cookies.length === 0) return multiValueHeaders;
  const name = nameOf(multiValueHeaders, setCookie) ?? setCookie;
  return { ...multiValueHeaders, [name]: [...(multiValueHeaders[name] ?? []), ...cookies] };
}

/** Payload 2.0 has one value a header and a list for cookies. */
function cookiesApart(response: PlainResponse): PlainResponse {
  const name = nameOf(response.multiValueHeaders, setCookie);
  if (name === undefined) return response;
  const { [name]: values = [], ...multiValueHeaders } = response.multiValueHeaders;
  return { ...response, multiValueHeaders, cookies: [...values, ...response.cookies] };
}

function joined({ headers, multiValueHeaders, cookies }: PlainResponse) {
  return {
    headers: { ...headers, ...joinedValues(multiValueHeaders) },
    ...(cookies.length === 0 ? {} : { cookies }),
  };
}

function joinedValues(multiValueHeaders: MultiValues): Record<string, string> {
  return Object.fromEntries(
    Object.entries(multiValueHeaders).map(([name, values]) => [name, values.join(', ')]),
  );
}

/**
 * A load balancer without multi-value headers takes one value a name and tells names apart by the case of
 * their letters, browsers do not: so several cookies go out as `set-cookie`, `Set-cookie`, `sEt-cookie`, …
 */
function singleValued(response: PlainResponse): Record<string, string> {
  const { headers, multiValueHeaders, cookies } = cookiesApart(response);
  const all = { ...headers, ...joinedValues(multiValueHeaders) };
  let spelt = 0;
  for (const cookie of cookies) {
    while (spelt < mostSpellings - 1 && all[spelling(spelt)] !== undefined) spelt += 1;
    all[spelling(spelt)] = cookie;
  }
  return all;
}

const mostSpellings = 2 ** 9;

/** One of the ways to write the name's nine letters. */
function spelling(bits: number): string {
  let rest = bits;
  return setCookie.toLowerCase().replace(/[a-z]/g, (letter) => {
    const isCapital = rest % 2 === 1;
    rest >>= 1;
    return isCapital ? letter.toUpperCase() : letter;
  });
}

function allMultiValued(response: PlainResponse): MultiValues {
  const all: Record<string, readonly string[]> = Object.fromEntries(
    Object.entries(response.headers).map(([name, value]) => [name, [value]]),
  );
  for (const [name, values] of Object.entries(cookiesAsHeaders(response))) {
    const known = nameOf(all, name) ?? name;
    all[known] = [...(all[known] ?? []), ...values];
  }
  return all;
}

function nameOf(headers: Readonly<Record<string, unknown>>, name: string): string | undefined {
  return Object.keys(headers).find((known) => known.toLowerCase() === name.toLowerCase());
}

function description(statusCode: number): string {
  return `${statusCode} ${STATUS_CODES[statusCode] ?? 'Unknown'}`;
}
