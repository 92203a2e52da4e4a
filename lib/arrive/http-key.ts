/** What the header `Idempotency-Key` says. */
export type HeaderKey =
  | { readonly status: 'key'; readonly key: string }
  | { readonly status: 'missing' }
  | { readonly status: 'malformed'; readonly why: string };

export const keyHeaderName = 'idempotency-key';

const longestKey = 255;

/**
 * Reads the header, by one rule: a quoted string of a structured field, `"8e03-4a"`, or the same bare. Bare
 * means printable ASCII without space, comma and quotes, since commas are what a proxy joins two headers with.
 *
 *     Idempotency-Key: "8e03-4a"        key 8e03-4a
 *     Idempotency-Key: 8e03-4a          key 8e03-4a, the same one
 *     Idempotency-Key: "a, \"b\""       key a, "b"
 *     Idempotency-Key: 8e03, "8e03"     key 8e03: twice the same is one
 *     Idempotency-Key: 8e03, 8e04       malformed
 */
export function headerKey(headers: Readonly<Record<string, string>>): HeaderKey {
  const header = headers[keyHeaderName]?.trim();
  if (header === undefined) return { status: 'missing' };
  if (header === '') return malformed('it is empty');
  const keys = new Set<string>();
  for (let rest = header; ; ) {
    const found = item.exec(rest);
    if (found === null) return malformed('it is neither a quoted string nor printable ASCII without spaces');
    const [all, inQuotes, bare] = found;
    keys.add(inQuotes?.replace(/\\(["\\])/g, '$1') ?? bare ?? '');
    if (all.length === rest.length) break;
    rest = rest.slice(all.length + 1).trimStart();
  }
  if (keys.size > 1) return malformed('it is given more than once, and differently');
  const [key = ''] = keys;
  if (key.trim() === '') return malformed('it is empty');
  if (key.length > longestKey) return malformed(`it has ${key.length} characters and may have ${longestKey}`);
  return { status: 'key', key };
}

/** What stands before a comma or the end: a quoted string, or a bare key. */
const item = /^(?:"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"|([\x21\x23-\x2b\x2d-\x7e]+))[ \t]*(?=,|$)/;

function malformed(why: string): HeaderKey {
  return { status: 'malformed', why };
}
