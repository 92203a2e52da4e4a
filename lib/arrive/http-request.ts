/** A request, whatever brought it: API Gateway, a function URL, a load balancer or `node:http`. */
export interface HttpRequest {
  /** In capitals. */
  readonly method: string;
  /** As it was asked for, without the stage of an API: `/orders/A-17`. */
  readonly path: string;
  /** Without the question mark, empty when there is none; for `new URLSearchParams(query)`. */
  readonly query: string;
  /** By name in small letters. A header given several times has its values joined by `, `, cookies by `; `. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body's bytes as they were sent; empty when there is none. */
  readonly bytes: Uint8Array;
  /** What the request was made from: Lambda's event, or the `IncomingMessage` of `node:http`. */
  readonly original: unknown;
}

/** A request as a handler gets it. */
export interface ReceivedRequest<Body = unknown> extends HttpRequest {
  /** What `parse` or `schema` made of the body; without them its JSON, or `undefined` when it is none. */
  readonly body: Body;
  /** The key the work is claimed under; absent when the request is not guarded. */
  readonly key: string | undefined;
}

type HeaderValues = string | number | boolean | readonly (string | number | boolean)[] | null | undefined;

/** Headers from wherever they come: names in small letters, several values of one name joined. */
export function headersOf(
  given: Readonly<Record<string, HeaderValues>> | null | undefined,
): Readonly<Record<string, string>> {
  const values = new Map<string, string[]>();
  for (const [name, value] of Object.entries(given ?? {})) {
    if (value === null || value === undefined) continue;
    const lowerCase = name.toLowerCase();
    const texts = (Array.isArray(value) ? value : [value]).map(String);
    values.set(lowerCase, [...(values.get(lowerCase) ?? []), ...texts]);
  }
  return Object.freeze(
    Object.fromEntries(
      [...values].map(([name, texts]) => [name, texts.join(name === 'cookie' ? '; ' : ', ')]),
    ),
  );
}
