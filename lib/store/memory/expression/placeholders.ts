import type { Attributes } from '../../table.ts';
import { type DynamoError, validationError } from '../dynamo-error.ts';
import { type Value, valueFrom } from '../value.ts';

/**
 * What a request's `#names` and `:values` stand for. DynamoDB refuses a placeholder that is not defined, and
 * just as much one that no expression uses.
 */
export class Placeholders {
  readonly #names: ReadonlyMap<string, string>;
  readonly #values: ReadonlyMap<string, Value>;
  readonly #unused: Set<string>;

  constructor(names: Readonly<Record<string, string>> | undefined, values: Attributes | undefined) {
    refuseEmpty('ExpressionAttributeNames', names, '#');
    refuseEmpty('ExpressionAttributeValues', values, ':');
    this.#names = new Map(Object.entries(names ?? {}));
    this.#values = new Map(Object.entries(values ?? {}).map(([text, value]) => [text, valueFrom(value)]));
    this.#unused = new Set([...this.#names.keys(), ...this.#values.keys()]);
  }

  name(placeholder: string): string | undefined {
    this.#unused.delete(placeholder);
    return this.#names.get(placeholder);
  }

  value(placeholder: string): Value | undefined {
    this.#unused.delete(placeholder);
    return this.#values.get(placeholder);
  }

  get values(): Iterable<Value> {
    return this.#values.values();
  }

  refuseUnused(): void {
    const unused = [...this.#unused];
    const names = unused.filter((text) => text.startsWith('#'));
    if (names.length > 0) throw unusedError('Names', names);
    if (unused.length > 0) throw unusedError('Values', unused);
  }
}

function refuseEmpty(parameter: string, given: object | undefined, prefix: '#' | ':'): void {
  if (given === undefined) return;
  const placeholders = Object.keys(given);
  if (placeholders.length === 0) throw validationError(`${parameter} must not be empty`);
  const wrong = placeholders.find((text) => !text.startsWith(prefix));
  if (wrong !== undefined) {
    throw validationError(`${parameter} contains invalid key: Syntax error; key: "${wrong}"`);
  }
}

function unusedError(which: 'Names' | 'Values', placeholders: readonly string[]): DynamoError {
  return validationError(
    `Value provided in ExpressionAttribute${which} unused in expressions: keys: {${placeholders.join(', ')}}`,
  );
}
