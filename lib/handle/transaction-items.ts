import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { scalarText, valueFrom } from '../store/memory/value.ts';
import type { Attributes } from '../store/table.ts';
import type { TransactionWrite } from '../store/writes.ts';

/** A write that was taken, with the item it is on as far as it says so. */
export interface PlacedWrite {
  readonly table: string;
  /** The key, where the write states it. */
  readonly key: Attributes | undefined;
  /** The whole item of a put: its key is in it, but only the table knows which attributes that is. */
  readonly item: Attributes | undefined;
}

export function placed(write: TransactionWrite): PlacedWrite {
  if ('Put' in write) {
    return { table: tableNameOf(write.Put.TableName), key: undefined, item: write.Put.Item };
  }
  const stated = 'Update' in write ? write.Update : 'Delete' in write ? write.Delete : write.ConditionCheck;
  return { table: tableNameOf(stated.TableName), key: stated.Key, item: undefined };
}

/**
 * A table's name, out of its ARN where that is given. A transaction stays inside one account and Region, so
 * two tables of one name are one table.
 */
export function tableNameOf(nameOrArn: string): string {
  return /^arn:[^/]*:table\/([^/]+)/.exec(nameOrArn)?.[1] ?? nameOrArn;
}

/**
 * The places of two writes on one item, if there are any: DynamoDB refuses the whole transaction. Puts are
 * compared as soon as any write to their table states which attributes its key has; before that only DynamoDB
 * can tell.
 */
export function twoOnOneItem(writes: readonly PlacedWrite[]): readonly [number, number] | undefined {
  const keyNames = new Map<string, readonly string[]>();
  for (const { table, key } of writes) if (key !== undefined) keyNames.set(table, Object.keys(key));

  const places = new Map<string, number>();
  for (const [index, { table, key, item }] of writes.entries()) {
    const identity = identityOf(table, key ?? item ?? {}, key ? Object.keys(key) : keyNames.get(table));
    if (identity === undefined) continue;
    const earlier = places.get(identity);
    if (earlier !== undefined) return [earlier, index];
    places.set(identity, index);
  }
  return undefined;
}

function identityOf(
  table: string,
  attributes: Attributes,
  names: readonly string[] | undefined,
): string | undefined {
  if (names === undefined) return undefined;
  const parts: (readonly string[])[] = [];
  for (const name of [...names].sort()) {
    const part = keyText(attributes[name]);
    if (part === undefined) return undefined;
    parts.push([name, ...part]);
  }
  return JSON.stringify([table, parts]);
}

/** Equal for equal key values, as DynamoDB compares them: 1 and 1.0 are one number, 1 and '1' are two keys. */
function keyText(attribute: AttributeValue | undefined): readonly [string, string] | undefined {
  if (attribute === undefined) return undefined;
  const value = valueFrom(attribute);
  return value.type === 'S' || value.type === 'N' || value.type === 'B'
    ? [value.type, scalarText(value)]
    : undefined;
}
