import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { Attributes } from '../table.ts';
import { validationError } from './dynamo-error.ts';
import { applyUpdate } from './expression/apply-update.ts';
import type { Condition } from './expression/condition.ts';
import { holds } from './expression/holds.ts';
import { Placeholders } from './expression/placeholders.ts';
import { readCondition } from './expression/read-condition.ts';
import { readUpdate } from './expression/read-update.ts';
import type { UpdateAction } from './expression/update.ts';
import { type KeyNames, refuseOtherKey, rowIdOf, type TableKeys } from './keys.ts';
import { itemBytes, largestItemBytes, valueBytes } from './size.ts';
import { type Item, itemFrom, itemToAttributes } from './value.ts';

type Intent =
  | { readonly kind: 'put'; readonly item: Item }
  | { readonly kind: 'update'; readonly key: Item; readonly actions: readonly UpdateAction[] }
  | { readonly kind: 'delete' | 'check'; readonly key: Item };

/** One write of a request, read and checked as far as that goes without a table. */
export interface Write {
  readonly tableName: string;
  readonly intent: Intent;
  readonly condition: Condition | undefined;
  readonly wantsOld: boolean;
  /** What it adds to the size of a transaction. */
  readonly bytes: number;
}

export type WriteOutcome =
  | { readonly status: 'refused'; readonly old: Attributes | undefined }
  | { readonly status: 'holds'; readonly item: Item | undefined };

type Parameters = NonNullable<TransactWriteItem[keyof TransactWriteItem]>;

/** @throws a `ValidationException` for what DynamoDB would not take, whatever the table holds */
export function readWrite(action: TransactWriteItem): Write {
  const given = Object.values(action).filter((parameters) => parameters !== undefined);
  const { Put, Update, Delete, ConditionCheck } = action;
  const [parameters] = given as Parameters[];
  if (parameters === undefined || given.length > 1) {
    throw validationError('TransactItems can only contain one of Check, Put, Update or Delete');
  }
  const placeholders = new Placeholders(
    parameters.ExpressionAttributeNames,
    parameters.ExpressionAttributeValues,
  );
  const condition =
    parameters.ConditionExpression === undefined
      ? undefined
      : readCondition(parameters.ConditionExpression, placeholders);
  if (ConditionCheck !== undefined && condition === undefined) throw missing('ConditionExpression');
  const intent = readIntent({ Put, Update, Delete, ConditionCheck }, placeholders);
  // DynamoDB lets a transaction's write carry placeholders when no expression is there to use them.
  if (condition !== undefined || intent.kind === 'update') placeholders.refuseUnused();
  if (parameters.TableName === undefined) throw missing('TableName');
  return {
    tableName: parameters.TableName,
    intent,
    condition,
    wantsOld: parameters.ReturnValuesOnConditionCheckFailure === 'ALL_OLD',
    bytes: itemBytes(intent.kind === 'put' ? intent.item : intent.key) + valuesBytes(placeholders),
  };
}

function readIntent(action: TransactWriteItem, placeholders: Placeholders): Intent {
  const { Put, Update, Delete, ConditionCheck } = action;
  if (Put !== undefined) return { kind: 'put', item: readItem(Put.Item) };
  if (Update !== undefined) {
    if (Update.UpdateExpression === undefined) throw missing('UpdateExpression');
    const actions = readUpdate(Update.UpdateExpression, placeholders);
    return { kind: 'update', key: itemFrom(Update.Key ?? {}), actions };
  }
  if (Delete !== undefined) return { kind: 'delete', key: itemFrom(Delete.Key ?? {}) };
  return { kind: 'check', key: itemFrom(ConditionCheck?.Key ?? {}) };
}

function readItem(attributes: Attributes | undefined): Item {
  const item = itemFrom(attributes ?? {});
  if (itemBytes(item) <= largestItemBytes) return item;
  throw validationError('Item size has exceeded the maximum allowed size');
}

function valuesBytes(placeholders: Placeholders): number {
  return [...placeholders.values].reduce((sum, value) => sum + valueBytes(value), 0);
}

function missing(parameter: string) {
  return validationError(
    `1 validation error detected: Value null at '${parameter}' failed to satisfy constraint: Member must not be null`,
  );
}

/**
 * The row a write means.
 *
 * @throws a `ValidationException` when the write does not fit the table's key
 * @throws ConfigurationError when the table's key is not known
 */
export function locate({ tableName, intent }: Write, keys: TableKeys): string {
  if (intent.kind === 'put') return rowIdOf(intent.item, keys.of(tableName));
  keys.learn(tableName, intent.key);
  const names = keys.of(tableName);
  refuseOtherKey(intent.key, names);
  if (intent.kind === 'update') refuseKeyChange(intent.actions, names);
  return rowIdOf(intent.key, names);
}

function refuseKeyChange(actions: readonly UpdateAction[], names: KeyNames): void {
  const changed = actions.find(({ path: [attribute] }) => names.includes(attribute));
  if (changed === undefined) return;
  throw validationError(
    `One or more parameter values were invalid: Cannot update attribute ${changed.path[0]}. This attribute is part of the key`,
  );
}

const noAttributes: Item = new Map();

/**
 * What the write makes of the row, which it does not touch itself.
 *
 * @throws a `ValidationException` when the condition holds and the update does not fit what stands there
 */
export function runWrite({ intent, condition, wantsOld }: Write, old: Item | undefined): WriteOutcome {
  if (condition !== undefined && !holds(condition, old ?? noAttributes)) {
    return { status: 'refused', old: wantsOld && old !== undefined ? itemToAttributes(old) : undefined };
  }
  switch (intent.kind) {
    case 'put':
      return { status: 'holds', item: intent.item };
    case 'update':
      return { status: 'holds', item: updated(intent.actions, old, intent.key) };
    case 'delete':
      return { status: 'holds', item: undefined };
    case 'check':
      return { status: 'holds', item: old };
    default:
      return intent satisfies never;
  }
}

function updated(actions: readonly UpdateAction[], old: Item | undefined, key: Item): Item {
  const item = applyUpdate(actions, old, key);
  if (itemBytes(item) <= largestItemBytes) return item;
  throw validationError('Item size to update has exceeded the maximum allowed size');
}
