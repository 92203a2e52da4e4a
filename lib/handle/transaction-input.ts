import type { NativeAttributeValue } from '@aws-sdk/util-dynamodb';
import { itemBytes } from '../store/memory/size.ts';
import { itemFrom } from '../store/memory/value.ts';
import type { Attributes } from '../store/table.ts';
import type { TransactionWrite } from '../store/writes.ts';
import { attributesFrom } from './transaction-values.ts';

/** Attributes as JavaScript has them, as in `@aws-sdk/lib-dynamodb`. */
export type NativeAttributes = Readonly<Record<string, NativeAttributeValue>>;

/** What every write of a transaction takes, in the shapes of `@aws-sdk/lib-dynamodb`. */
export interface WriteInput {
  /** Name or ARN. */
  readonly TableName: string;
  readonly ConditionExpression?: string | undefined;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>> | undefined;
  readonly ExpressionAttributeValues?: NativeAttributes | undefined;
  /** `ALL_OLD` hands the item that stood there to `TransactionRejectedError`. @default 'NONE' */
  readonly ReturnValuesOnConditionCheckFailure?: 'ALL_OLD' | 'NONE' | undefined;
}

export interface PutInput extends WriteInput {
  readonly Item: NativeAttributes;
}

export interface UpdateInput extends WriteInput {
  readonly Key: NativeAttributes;
  readonly UpdateExpression: string;
}

export interface DeleteInput extends WriteInput {
  readonly Key: NativeAttributes;
}

export interface CheckInput extends WriteInput {
  readonly Key: NativeAttributes;
  readonly ConditionExpression: string;
}

/** The methods of an attempt's transaction. */
export type WriteKind = 'put' | 'update' | 'delete' | 'check' | 'transition';

/** What every write has once it is marshalled. */
type Common = Omit<Extract<TransactionWrite, { Put: unknown }>['Put'], 'Item'>;

type Given = Readonly<Record<string, unknown>>;

const commonNames = [
  'TableName',
  'ConditionExpression',
  'ExpressionAttributeNames',
  'ExpressionAttributeValues',
  'ReturnValuesOnConditionCheckFailure',
];

/** A write in native values, checked, as DynamoDB takes it. */
export function writeFrom(
  kind: Exclude<WriteKind, 'transition'>,
  input: unknown,
  method: WriteKind = kind,
): TransactionWrite {
  const own = kind === 'put' ? ['Item'] : kind === 'update' ? ['Key', 'UpdateExpression'] : ['Key'];
  const given = checkedInput(method, input, [...own, ...commonNames]);
  const common = commonOf(method, given);
  switch (kind) {
    case 'put':
      return { Put: { ...common, Item: attributesFrom(given.Item, 'transaction.put: Item') } };
    case 'update': {
      const UpdateExpression = textOf(method, given, 'UpdateExpression');
      return { Update: { ...common, Key: keyOf(method, given), UpdateExpression } };
    }
    case 'delete':
      return { Delete: { ...common, Key: keyOf(method, given) } };
    case 'check': {
      const ConditionExpression = textOf(method, given, 'ConditionExpression');
      return { ConditionCheck: { ...common, Key: keyOf(method, given), ConditionExpression } };
    }
    default:
      return kind satisfies never;
  }
}

/** The input of a method, if it is an object and has no property the method does not know. */
export function checkedInput(method: WriteKind, input: unknown, known: readonly string[]): Given {
  if (typeof input !== 'object' || input === null) {
    throw new TypeError(
      `transaction.${method} was given ${input === null ? 'null' : typeof input}; give an object`,
    );
  }
  const unknown = Object.entries(input).find(([name, value]) => value !== undefined && !known.includes(name));
  if (unknown !== undefined) {
    throw new TypeError(
      `transaction.${method} has no property ${JSON.stringify(unknown[0])}; it has ${known.join(', ')}`,
    );
  }
  return input as Given;
}

export function textOf(method: WriteKind, given: Given, name: string): string {
  const value = given[name];
  if (typeof value === 'string' && value.trim() !== '') return value;
  const got = value === undefined ? 'missing' : value === null ? 'null' : `a ${typeof value}`;
  throw new TypeError(
    `transaction.${method}: ${name} is ${typeof value === 'string' ? 'blank' : got}; give a text that is not blank`,
  );
}

/** Bytes as DynamoDB counts them, as far as a write tells: of an update it counts the whole item. */
export function writeBytes(write: TransactionWrite): number {
  const body =
    'Put' in write
      ? write.Put
      : 'Update' in write
        ? write.Update
        : 'Delete' in write
          ? write.Delete
          : write.ConditionCheck;
  const attributes = 'Item' in body ? body.Item : body.Key;
  return bytesOf(attributes) + bytesOf(body.ExpressionAttributeValues ?? {});
}

/** A number of 39 digits and the like is found here, by the same rules as DynamoDB's. */
function bytesOf(attributes: Attributes): number {
  try {
    return itemBytes(itemFrom(attributes));
  } catch (error) {
    throw new TypeError(`a value of the write is none DynamoDB takes: ${(error as Error).message}`);
  }
}

function commonOf(method: WriteKind, given: Given): Common {
  const { ExpressionAttributeValues: values, ReturnValuesOnConditionCheckFailure: wanted } = given;
  if (wanted !== undefined && wanted !== 'ALL_OLD' && wanted !== 'NONE') {
    throw new TypeError(
      `transaction.${method}: ReturnValuesOnConditionCheckFailure is another value; give 'ALL_OLD' or 'NONE'`,
    );
  }
  const names = namesOf(method, given.ExpressionAttributeNames);
  const marshalled =
    values === undefined ? {} : attributesFrom(values, `transaction.${method}: ExpressionAttributeValues`);
  return {
    TableName: textOf(method, given, 'TableName'),
    ...(given.ConditionExpression === undefined
      ? {}
      : { ConditionExpression: textOf(method, given, 'ConditionExpression') }),
    // DynamoDB refuses an empty one.
    ...(Object.keys(names).length === 0 ? {} : { ExpressionAttributeNames: names }),
    ...(Object.keys(marshalled).length === 0 ? {} : { ExpressionAttributeValues: marshalled }),
    ...(wanted === undefined ? {} : { ReturnValuesOnConditionCheckFailure: wanted }),
  };
}

function namesOf(method: WriteKind, names: unknown): Record<string, string> {
  const entries = Object.entries(names ?? {});
  if (entries.some(([, name]) => typeof name !== 'string')) {
    throw new TypeError(
      `transaction.${method}: ExpressionAttributeNames has a value that is no string; give { '#name': 'name' }`,
    );
  }
  return Object.fromEntries(entries);
}

function keyOf(method: WriteKind, given: Given): Attributes {
  const at = `transaction.${method}: Key`;
  const key = attributesFrom(given.Key, at);
  const names = Object.keys(key);
  if (names.length === 0 || names.length > 2) {
    throw new TypeError(
      `${at} has ${names.length} attributes; give the partition key, and the sort key if there is one`,
    );
  }
  for (const [name, value] of Object.entries(key)) {
    if (value.S === '' || value.B?.length === 0) throw new TypeError(`${at}.${name} is empty; give a value`);
    if (value.S === undefined && value.N === undefined && value.B === undefined) {
      throw new TypeError(
        `${at}.${name} is no string, number or binary; give native values, 'A-17' and not { S: 'A-17' }`,
      );
    }
  }
  return key;
}
