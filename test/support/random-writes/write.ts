// Random writes for two tables that should agree. What dynoxide answers otherwise than AWS is left out in these
// files, each time with the reason.
import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import { peerTableName } from '../peer-table.ts';
import { condition } from './condition.ts';
import { expressions, type Piece } from './piece.ts';
import { update } from './update.ts';
import { attributes } from './value.ts';

const id = fc.constantFrom('a', 'b', 'c');
const asks = fc.constantFrom<('ALL_OLD' | 'NONE')[]>('ALL_OLD', 'NONE');

const table = { TableName: peerTableName };
const maybeCondition = fc.option(condition, { nil: undefined, freq: 2 });
const conditional = (written: Piece | undefined) =>
  written === undefined ? {} : { ConditionExpression: written };

/** One write to the row named by `rowOf`. */
export function randomWrites(rowOf: (id: string) => string) {
  const key = id.map((one) => ({ claim: { S: rowOf(one) } }));
  const put = fc.tuple(key, attributes, maybeCondition, asks).map(([Key, rest, written, old]) => ({
    ...table,
    Item: { ...rest, ...Key },
    ...expressions(conditional(written)),
    ReturnValuesOnConditionCheckFailure: old,
  }));
  const change = fc.tuple(key, update, maybeCondition, asks).map(([Key, changes, written, old]) => ({
    ...table,
    Key,
    ...(expressions({ ...conditional(written), UpdateExpression: changes }) as { UpdateExpression: string }),
    ReturnValuesOnConditionCheckFailure: old,
  }));
  const remove = fc.tuple(key, maybeCondition, asks).map(([Key, written, old]) => ({
    ...table,
    Key,
    ...expressions(conditional(written)),
    ReturnValuesOnConditionCheckFailure: old,
  }));
  const check = fc.tuple(key, condition, asks).map(([Key, written, old]) => ({
    ...table,
    Key,
    ...(expressions(conditional(written)) as { ConditionExpression: string }),
    ReturnValuesOnConditionCheckFailure: old,
  }));
  const single = fc.oneof(
    put.map((Put): TransactWriteItem => ({ Put })),
    { weight: 3, arbitrary: change.map((Update): TransactWriteItem => ({ Update })) },
  );
  const any = fc.oneof(
    single,
    remove.map((Delete): TransactWriteItem => ({ Delete })),
    check.map((ConditionCheck): TransactWriteItem => ({ ConditionCheck })),
  );
  return {
    single,
    // Two writes to one item are refused, so most transactions have only one for each.
    many: fc.oneof(
      { weight: 9, arbitrary: fc.uniqueArray(any, { minLength: 1, maxLength: 3, selector: rowOfWrite }) },
      fc.array(any, { minLength: 2, maxLength: 3 }),
    ),
  };
}

function rowOfWrite({ Put, Update, Delete, ConditionCheck }: TransactWriteItem): string | undefined {
  return (Put?.Item ?? Update?.Key ?? Delete?.Key ?? ConditionCheck?.Key)?.claim?.S;
}
