/** The steps of a JSON pointer (RFC 6901), from the outside in. */
export type JsonPointer = readonly string[];

/** Reads a JSON pointer such as `/attempt` or `/items/0/sent~1at`; undefined for what is none, or names all. */
export function jsonPointer(text: unknown): JsonPointer | undefined {
  if (typeof text !== 'string' || !/^(\/([^~/]|~[01])*)+$/.test(text)) return undefined;
  return text
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}
