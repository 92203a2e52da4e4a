import { hash } from 'node:crypto';
import { ConfigurationError } from '../errors.ts';

/**
 * How a row key is spelt. The first separator ends the scope, and no scope can hold one:
 *
 *     orders#A-17          scope `orders`, key `A-17` as written
 *     orders~<hash>        a key too long, or not well-formed text
 *     orders!#<id>         recorded under the message id, because there is no key or the key is taken
 *     a%23b#1              scope `a#b`
 *     orders%1Fann#1       endpoint `orders` of a receiver, caller `ann`
 *     %x<hash>#1           a scope too long, or not well-formed text
 *
 * `%` is followed by an upper-case code everywhere in an escaped scope, so `%x` is no plain scope's beginning.
 */
const separators = { key: '#', hashedKey: '~', unkeyed: '!' } as const;

const hashedScopePrefix = '%x';

/** Parts the endpoint of a receiver from its caller. No scope that {@link checkedScope} lets pass holds it. */
const callerSeparator = '\u001f';

/** DynamoDB's partition key holds 2,048 bytes; scope and key take half of that at most. */
const longestPartBytes = 512;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what has to be escaped
const escapedInScopes = /[%#~!\u0000-\u001f\u007f]/g;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
const controlCharacters = /[\u0000-\u001f\u007f]/;

/** The partition key of a message's row, at most 1,025 bytes. Two different pairs never share one. */
export function rowKey(scope: string, key: string): string {
  return scopePart(scope) + keyPart(key);
}

/** The partition key of a message that has no key of its own, in a namespace no key can reach. */
export function unkeyedRowKey(scope: string, messageId: string): string {
  return scopePart(scope) + separators.unkeyed + keyPart(messageId);
}

/**
 * The scope of a receiver's requests from one caller. Never equal for two different pairs, nor equal to a
 * scope that {@link checkedScope} lets pass, whatever the caller is called.
 */
export function callerScope(scope: string, caller: string): string {
  return escaped(scope) + callerSeparator + caller;
}

/**
 * The scope a user gave, or a refusal: blank, or with control characters, one of which is kept for
 * {@link callerScope}.
 *
 * @throws ConfigurationError
 */
export function checkedScope(scope: unknown): string {
  if (typeof scope !== 'string' || scope.trim() === '' || controlCharacters.test(scope)) {
    const got = typeof scope === 'string' ? JSON.stringify(scope) : `of type ${typeof scope}`;
    throw new ConfigurationError(
      `scope is ${got}; give a name for this consumer's keys, not blank and without control characters`,
    );
  }
  return scope;
}

/** Names a row in logs and events without telling its key: 16 hexadecimal digits. */
export function keyHash(rowKey: string): string {
  return hash('sha256', rowKey, 'hex').slice(0, 16);
}

function scopePart(scope: string): string {
  const part = escaped(scope);
  return fits(part) ? part : hashedScopePrefix + codeUnitsHash(scope);
}

function keyPart(key: string): string {
  return fits(key) ? separators.key + key : separators.hashedKey + codeUnitsHash(key);
}

function escaped(scope: string): string {
  return scope.replace(
    escapedInScopes,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}

function fits(part: string): boolean {
  return Buffer.byteLength(part) <= longestPartBytes && part.isWellFormed();
}

/** In UTF-8 every lone surrogate becomes the same replacement character, so the code units are hashed. */
function codeUnitsHash(text: string): string {
  return hash('sha256', Buffer.from(text, 'utf16le'), 'base64url');
}
