import { styleText } from 'node:util';

/**
 * Text from a message, a row or AWS as it may go to a terminal. Whoever can send a message chooses its key, its
 * reason and its error, and a terminal takes orders from them: clear the screen, set the title, go back and
 * write over the line above. Control characters (C0, DEL, C1) are shown instead: `\u001b[2J`.
 */
export function visible(text: string): string {
  return text.replace(controls, escaped);
}

/** A document for scripts, which people read in terminals too. `JSON.stringify` leaves DEL and C1 as they are. */
export function jsonText(document: unknown): string {
  return JSON.stringify(document, undefined, 2).replace(controlsInJson, escaped);
}

/** What an error says, in red. */
export function errorText(error: unknown, before = ''): string {
  return styleText('red', before + visible(error instanceof Error ? error.message : String(error)));
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it is about.
const controls = /[\u0000-\u001f\u007f-\u009f]/g;
const controlsInJson = /[\u007f-\u009f]/g;

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
