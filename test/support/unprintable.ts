/**
 * What a log must never show carries this mark in the suite's fixtures: bodies and explicit keys in their text;
 * receipt handles are known by how the kit spells them.
 */
const mark = 'never-print';

/** A text that gives itself away wherever it is printed, such as a key or a part of a body. */
export function unprintable(text: string): string {
  return `${mark}-${text}`;
}

const marked = new RegExp(
  [
    String.raw`${mark}-[\w.-]*`,
    String.raw`receipt handle \d* ?of [\w.-]+`,
    // A record or a call to SQS that is printed whole, by an emulator or a worker, with a handle of SQS's own.
    String.raw`\\?["']?[rR]eceiptHandle\\?["']?: *\\?["'][^"']+`,
  ].join('|'),
  'g',
);

/** Everything in a text that must not be there. */
export function unprintableIn(text: string): readonly string[] {
  return [...new Set(text.match(marked))];
}
