import type { StandardSchemaV1 } from '@standard-schema/spec';
import { isNamed, toError } from '../errors.ts';
import type { BodySource } from './fingerprint.ts';

/** How a body is read; the public options say it with types that fit together. */
export interface BodyReading<Body> {
  /** What the parsed body must pass; its output is the body. */
  readonly schema?: StandardSchemaV1<unknown, Body> | undefined;
  /** Makes a value of the text. Without it the text is JSON, with or without a byte order mark. */
  readonly parse?: ((text: string) => unknown) | undefined;
}

/**
 * A body, and what its fingerprint is taken from: never what the schema made of it, since a schema may fill in
 * the time or a random id. Or why there is none. The error's message never quotes the body, unless the user
 * threw it on purpose: a `PoisonMessageError` or `RetryLaterError` of `parse` or the schema comes as it is.
 */
export type ParsedBody<Body> =
  | { readonly status: 'parsed'; readonly body: Body; readonly source: BodySource }
  | { readonly status: 'unparseable'; readonly error: Error };

/** Reads a record's body. Never throws. */
export async function parseBody<Body>(text: unknown, reading: BodyReading<Body>): Promise<ParsedBody<Body>> {
  if (typeof text !== 'string') return unparseable('the record has no body');
  const { parse, schema } = reading;
  let source: BodySource;
  let value: unknown;
  if (parse === undefined) {
    const json = withoutByteOrderMark(text);
    try {
      value = JSON.parse(json);
    } catch (error) {
      return unparseable(`the body is not JSON${positionIn(error)}`);
    }
    source = { json };
  } else {
    try {
      value = await parse(text);
    } catch (thrown) {
      return thrownBy('parse', thrown);
    }
    source = { value };
  }
  return schema === undefined
    ? { status: 'parsed', body: value as Body, source }
    : validated(value, schema, source);
}

async function validated<Body>(
  value: unknown,
  schema: StandardSchemaV1<unknown, Body>,
  source: BodySource,
): Promise<ParsedBody<Body>> {
  try {
    const result = await schema['~standard'].validate(value);
    if (result.issues === undefined) return { status: 'parsed', body: result.value, source };
    return unparseable(`the body does not match the schema ${placesOf(result.issues)}`);
  } catch (thrown) {
    return thrownBy('the schema', thrown);
  }
}

/** Text as `JSON.parse` takes it. */
export function withoutByteOrderMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

function unparseable(message: string): { readonly status: 'unparseable'; readonly error: Error } {
  return { status: 'unparseable', error: new Error(message) };
}

/** A parser's own words, and its error as a cause, may quote the body, so only the error's class is told. */
function thrownBy(what: string, thrown: unknown): { readonly status: 'unparseable'; readonly error: Error } {
  const error = toError(thrown);
  if (isNamed(error, 'PoisonMessageError') || isNamed(error, 'RetryLaterError')) {
    return { status: 'unparseable', error };
  }
  return unparseable(`${what} threw ${className(error)}`);
}

/** What kind of error it is, where that is a name and no text. */
export function className(error: Error): string {
  return /^\w{1,64}$/.test(error.name) ? error.name : 'an error';
}

/** Where `JSON.parse` says it stopped. Where it quotes the text instead, its message ends otherwise. */
function positionIn(error: unknown): string {
  const position = / in JSON at position (\d+) \(line \d+ column \d+\)$/.exec(toError(error).message)?.[1];
  return position === undefined ? '' : `: position ${position}`;
}

const most = { places: 5, placeLength: 100 } as const;

/** Paths only: an issue's message may quote the value. */
function placesOf(issues: readonly StandardSchemaV1.Issue[]): string {
  const places = new Set(
    issues.map(({ path = [] }) => (path.length === 0 ? 'as a whole' : `at ${pointer(path)}`)),
  );
  const shown = [...places].slice(0, most.places);
  const more = places.size - shown.length;
  return shown.join(', ') + (more > 0 ? ` and ${more} more places` : '');
}

function pointer(path: NonNullable<StandardSchemaV1.Issue['path']>): string {
  const steps = path.map((step) => `/${placeName(String(typeof step === 'object' ? step.key : step))}`);
  return steps.join('').slice(0, most.placeLength);
}

/** A name as a schema's author writes it, or a place in a list. In a map the names are data: mail addresses, cards. */
function placeName(name: string): string {
  return /^([A-Za-z_$][\w$]*|\d{1,6})$/.test(name) ? name : '*';
}
