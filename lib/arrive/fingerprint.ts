import { hash } from 'node:crypto';
import { canonicalJson } from './canonical.ts';
import { canonicalValue } from './canonical-value.ts';

/** What a body's fingerprint is taken from: JSON as it was written, or what a custom `parse` made of the text. */
export type BodySource = { readonly json: string } | { readonly value: unknown };

/**
 * The version of the form that was hashed stands before the hash. A consumer that changes from JSON to a
 * `parse` of its own, or to a `fingerprint` of its own, changes the form too, and messages under way while
 * it is deployed must not look like other payloads.
 */
const forms = { json: 'v1', value: 'v1p', given: 'v1g' } as const;

/** The fingerprint of a body: version, colon and 43 characters of hash. */
export function bodyFingerprint(source: BodySource): string {
  if ('json' in source) return fingerprint(forms.json, canonicalJson(source.json));
  return fingerprint(forms.value, canonicalValue(source.value));
}

/**
 * The fingerprint made from what a user's `fingerprint({ body, record })` returned.
 *
 * @throws TypeError when it returned nothing that could tell payloads apart.
 */
export function givenFingerprint(value: unknown): string {
  const form = canonicalValue(value);
  if (typeof value === 'string' ? value.trim() === '' : saysNothing.has(form)) {
    throw new TypeError(
      `fingerprint returned ${typeof value === 'string' ? 'a blank string' : form}; give the part of the body that tells payloads apart, as text or as an object`,
    );
  }
  return fingerprint(forms.given, form);
}

const saysNothing: ReadonlySet<string> = new Set(['undefined', 'null', 'NaN']);

/**
 * Whether two fingerprints may be of the same payload. Of two versions nothing can be told, and calling a
 * message someone else's on no evidence would park it, so they count as the same.
 */
export function sameFingerprint(left: string, right: string): 'same' | 'different' {
  return left === right || versionOf(left) !== versionOf(right) ? 'same' : 'different';
}

function fingerprint(version: string, form: string): string {
  return `${version}:${hash('sha256', form, 'base64url')}`;
}

function versionOf(fingerprint: string): string {
  return fingerprint.slice(0, fingerprint.indexOf(':') + 1);
}
