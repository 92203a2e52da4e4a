/** How bad it is. `unseen`: it could not be checked, so nobody knows. */
export type Level = 'error' | 'warning' | 'unseen';

/** One thing that is wrong, or could not be checked. */
export interface Finding {
  /** A stable name, such as `visibility-too-short`, for scripts. */
  readonly id: string;
  readonly level: Level;
  readonly what: string;
  readonly why: string;
  readonly fix: string;
}

/** A finding without its name and level. */
export type Words = Omit<Finding, 'id' | 'level'>;

export function error(id: string, words: Words): Finding {
  return { id, level: 'error', ...words };
}

export function warning(id: string, words: Words): Finding {
  return { id, level: 'warning', ...words };
}
