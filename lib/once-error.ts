/** What an error of ours may know besides its message. */
export interface ErrorDetails {
  readonly cause?: unknown;
  readonly scope?: string;
  /** Kept out of logs: the property is not enumerable. */
  readonly key?: string;
}

/** What every error of ours has. Never thrown itself. */
export abstract class OnceError extends Error {
  declare readonly scope?: string;
  declare readonly key?: string;

  constructor(message: string, details: ErrorDetails = {}) {
    super(message, details);
    if (details.scope !== undefined) this.scope = details.scope;
    if (details.key !== undefined) hide(this, 'key', details.key);
  }
}

/** Sets what a logger does not show. */
export function hide(error: Error, property: string, value: unknown): void {
  Object.defineProperty(error, property, { value, enumerable: false, writable: true, configurable: true });
}

/**
 * Names a class the way the language names its own errors: on the prototype, so that the stack's first line
 * has the name, a minified bundle keeps it, and a subclass may call itself something else and is still
 * recognised by `isNamed`.
 */
export function named(errorClass: { readonly prototype: Error }, name: string): void {
  hide(errorClass.prototype, 'name', name);
}
