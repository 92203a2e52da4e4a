import { ConfigurationError } from '../../errors.ts';
import { validationError } from './dynamo-error.ts';
import { type Item, scalarText } from './value.ts';

/** The attributes that make up a table's key. */
export type KeyNames = readonly string[];

/**
 * What the tables' keys are. A real table was created with a key; here it is stated, or learned from the
 * first `Key` that names the table (an update, a delete, a check, a read).
 */
export class TableKeys {
  readonly #known: Map<string, KeyNames>;

  constructor(stated: Readonly<Record<string, KeyNames>>) {
    this.#known = new Map(Object.entries(stated));
  }

  /** @throws a `ValidationException` for what can be no table's key */
  learn(tableName: string, key: Item): void {
    if (key.size < 1 || key.size > 2) throw mismatch();
    if (!this.#known.has(tableName)) this.#known.set(tableName, [...key.keys()].sort());
  }

  /** @throws ConfigurationError when the first thing ever seen of a table is a put */
  of(tableName: string): KeyNames {
    const names = this.#known.get(tableName);
    if (names !== undefined) return names;
    throw new ConfigurationError(
      `the key of table "${tableName}" is not known in memory, and a put does not tell it; state it: keys: { ${JSON.stringify(tableName)}: ['orderId'] }, with its own attributes`,
    );
  }
}

/** @throws a `ValidationException` unless the key has exactly the table's key attributes */
export function refuseOtherKey(key: Item, names: KeyNames): void {
  if (key.size !== names.length || names.some((name) => !key.has(name))) throw mismatch();
}

/**
 * The row's identity in its table, the same for the same key.
 *
 * @throws a `ValidationException` when the attributes have no usable key
 */
export function rowIdOf(attributes: Item, names: KeyNames): string {
  return JSON.stringify(names.map((name) => keyPart(attributes, name)));
}

function keyPart(attributes: Item, name: string): readonly [type: string, text: string] {
  const value = attributes.get(name);
  if (value === undefined) {
    throw validationError(`One or more parameter values were invalid: Missing the key ${name} in the item`);
  }
  if (value.type !== 'S' && value.type !== 'N' && value.type !== 'B') throw mismatch();
  const text = scalarText(value);
  if (text !== '') return [value.type, text];
  throw validationError(
    `One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: ${name}`,
  );
}

function mismatch() {
  return validationError('The provided key element does not match the schema');
}
