import { hash } from 'node:crypto';
import { canonicalJson } from './canonical.ts';
import type { HttpRequest } from './http-request.ts';
import type { JsonPointer } from './json-pointer.ts';

/**
 * Proves that a reused key carries the same request: method, path, query and the body's bytes. Headers stay
 * out of it: signatures, dates and trace ids change with every retry. With `volatile` places the body counts
 * in its canonical form without them.
 *
 * One request has one fingerprint, whatever brings it. What the ways differ in is evened out: percent codes of
 * the path, and the order of different names in the query.
 */
export function requestFingerprint(request: HttpRequest, volatile: readonly JsonPointer[] = []): string {
  const facts = [
    request.method,
    canonicalPath(request.path),
    canonicalQuery(request.query),
    bodyPart(request.bytes, volatile),
  ];
  return `${versionOf(volatile)}:${hash('sha256', JSON.stringify(facts), 'base64url')}`;
}

/**
 * Fingerprints of two versions say nothing about each other. Which places are volatile changes the form, so it
 * is part of the version: requests under way while it is deployed must not look like other ones.
 */
function versionOf(volatile: readonly JsonPointer[]): string {
  if (volatile.length === 0) return 'h1';
  return `h1v${hash('sha256', JSON.stringify(volatile), 'hex').slice(0, 8)}`;
}

function canonicalPath(path: string): string {
  return path
    .split('/')
    .map((segment) => encodeURIComponent(decoded(segment)))
    .join('/');
}

/** HTTP APIs have decoded the path already; a percent sign that is none of a code stays what it is. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment).toWellFormed();
  } catch {
    return segment.toWellFormed();
  }
}

function canonicalQuery(query: string): string {
  const parameters = new URLSearchParams(query);
  parameters.sort();
  return parameters.toString();
}

function bodyPart(bytes: Uint8Array, volatile: readonly JsonPointer[]): string {
  const form = volatile.length === 0 ? undefined : formWithout(bytes, volatile);
  return form === undefined ? `bytes ${hash('sha256', bytes, 'base64url')}` : `json ${form}`;
}

/** Leaves out a byte order mark, as the reading of the body does, and refuses bytes that are no text. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The canonical form without the volatile places; undefined when the body is no JSON. */
function formWithout(bytes: Uint8Array, volatile: readonly JsonPointer[]): string | undefined {
  let text: string;
  try {
    text = utf8.decode(bytes);
    JSON.parse(text);
  } catch {
    return undefined;
  }
  return canonicalJson(text, volatile);
}
