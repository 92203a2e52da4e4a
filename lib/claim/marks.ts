import type { RedriveMark } from './decide.ts';

/**
 * How many redrives a row remembers. One would do if a key stood for one message. Under a business key two
 * messages may lie in the dead-letter queue, and both come back; remembering only the last mark, each would find
 * its own forgotten, start the attempts afresh, and poison would never come to its limit:
 *
 *   mark A: attempt 1 ── fails ── mark B: attempt 1 ── fails ── mark A again: attempt 1 …
 */
const mostRemembered = 4;

const separator = '\n';

/** Whether a redrive counted already: a second copy of it goes on where the first one is. */
export function isHonoured(honoured: string | undefined, mark: RedriveMark): boolean {
  return honoured?.split(separator).includes(mark.id) ?? false;
}

/** The marks a row remembers once another is honoured, the newest last. */
export function honouring(honoured: string | undefined, mark: RedriveMark): string {
  const others = honoured?.split(separator).filter((id) => id !== mark.id) ?? [];
  return [...others, mark.id].slice(-mostRemembered).join(separator);
}
