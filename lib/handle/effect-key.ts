import { hash } from 'node:crypto';
import { EffectKeyExpiredError } from '../errors.ts';
import { durationInWords } from '../window.ts';

/**
 * Names one effect of one message towards a provider: 43 characters of `[A-Za-z0-9_-]`, the same on every
 * attempt, after a redrive and in every process. A redrive with new effects counts the generation up.
 *
 * @throws TypeError when the name is no text, or blank.
 */
export function effectKey(rowKey: string, name: string, generation: number | undefined): string {
  if (typeof name !== 'string' || name.trim() === '') {
    const got = typeof name === 'string' ? JSON.stringify(name) : `of type ${typeof name}`;
    throw new TypeError(`the effect's name is ${got}; give a text that is not blank, such as "capture"`);
  }
  return derivedKey(['effect', rowKey, name, generation ?? 0]);
}

/**
 * A key of a list of facts. The list is written as JSON, which keeps `['a', 'bc']` and `['ab', 'c']` apart and
 * escapes lone surrogates, which UTF-8 could not tell from each other.
 */
export function derivedKey(facts: readonly (string | number)[]): string {
  return hash('sha256', JSON.stringify(facts), 'base64url');
}

/** What the age of an effect key is judged by. */
export interface EffectKeyAge {
  readonly name: string;
  /** When the first attempt began, epoch milliseconds. */
  readonly bornAtMillis: number;
  readonly nowMillis: number;
  /** How long the provider remembers keys, more than 0. */
  readonly lifetimeSeconds: number;
  readonly scope: string;
}

/**
 * Refuses an effect whose key the provider may have forgotten: it would do the effect again.
 *
 * @throws TypeError when `lifetimeSeconds` is not a number above 0.
 * @throws EffectKeyExpiredError
 */
export function ensureEffectKeyAlive(age: EffectKeyAge): void {
  const { name, lifetimeSeconds } = age;
  if (typeof lifetimeSeconds !== 'number' || !(lifetimeSeconds > 0)) {
    const got = typeof lifetimeSeconds === 'number' ? lifetimeSeconds : `of type ${typeof lifetimeSeconds}`;
    throw new TypeError(
      `lifetimeSeconds is ${got}; give the seconds for which the provider remembers keys, more than 0`,
    );
  }
  const ageMillis = age.nowMillis - age.bornAtMillis;
  if (ageMillis < lifetimeSeconds * 1_000) return;
  throw new EffectKeyExpiredError(
    `the effect ${JSON.stringify(name)} was first tried ${durationInWords(Math.floor(ageMillis / 1_000))} ago and ` +
      `its provider remembers keys for ${durationInWords(lifetimeSeconds)}: tried again, it may happen twice. ` +
      'Look up at the provider whether it happened; if so, drop the message, if not, redrive it with new effects',
    { scope: age.scope },
  );
}
