import { toError } from '../errors.ts';

/** A row and a message attribute must stay small. */
const longestSummary = { name: 256, message: 1_024 } as const;

/** The name and message of whatever was thrown, cut to 256 and 1,024 characters, as text that AWS takes. */
export function errorSummary(thrown: unknown): { readonly name: string; readonly message: string } {
  const error = toError(thrown);
  return {
    name: storable(error.name, longestSummary.name),
    message: storable(error.message, longestSummary.message),
  };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: SQS refuses a message with any of these
const refusedBySqs = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

function storable(text: string, longest: number): string {
  // Cutting may halve a surrogate pair, so lone halves are replaced last.
  return text.slice(0, longest).replace(refusedBySqs, '\ufffd').toWellFormed();
}
