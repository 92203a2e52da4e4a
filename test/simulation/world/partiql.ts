import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { BatchStatement } from '../../../lib/store/batching/statements.ts';
import type { PutStatement, UpdateStatement } from '../../../lib/store/table.ts';

/** A statement of PartiQL as the single write that does the same. */
export type SingleWrite = { readonly Put: PutStatement } | { readonly Update: UpdateStatement };

/** The table's key, in whatever statement. */
const key = 'claim';

/**
 * Reads the two forms there are: an `INSERT` of an item, and an `UPDATE` of one by its key under further equalities.
 * DynamoDB knows many more. One that is not read here is not known to do what the store believes it does.
 */
export function readStatement({ Statement, Parameters }: BatchStatement): SingleWrite {
  const insert = /^INSERT INTO "(\w+)" VALUE \{(.*)\}$/.exec(Statement);
  if (insert !== null) return inserted(insert[1] ?? '', namesIn(insert[2], /^'(\w+)': \?$/), Parameters);
  const update = /^UPDATE "(\w+)" SET (.*) REMOVE (.*) WHERE (.*)$/.exec(Statement);
  if (update === null) throw new SyntaxError(`the world's table knows no ${Statement}`);
  return updated(
    update[1] ?? '',
    namesIn(update[2], /^"(\w+)" = \?$/),
    namesIn(update[3], /^"(\w+)"$/),
    namesIn(update[4]?.replaceAll(' AND ', ', '), /^"(\w+)" = \?$/),
    Parameters,
  );
}

function namesIn(list = '', form: RegExp): readonly string[] {
  return list.split(', ').map((part) => {
    const [, name] = form.exec(part) ?? [];
    if (name === undefined) throw new SyntaxError(`the world's table cannot read ${part} in ${list}`);
    return name;
  });
}

/** An `INSERT` is refused where an item of the key is, and does not tell which. */
function inserted(
  TableName: string,
  names: readonly string[],
  values: readonly AttributeValue[],
): SingleWrite {
  return {
    Put: {
      TableName,
      Item: Object.fromEntries(names.map((name, place) => [name, at(values, place)])),
      ConditionExpression: 'attribute_not_exists(#key)',
      ExpressionAttributeNames: { '#key': key },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    },
  };
}

function updated(
  TableName: string,
  set: readonly string[],
  removed: readonly string[],
  compared: readonly string[],
  values: readonly AttributeValue[],
): SingleWrite {
  if (compared[0] !== key) throw new SyntaxError(`an UPDATE names its key first, and not ${compared[0]}`);
  const others = compared.slice(1);
  const named = (names: readonly string[]) => names.map((name) => [`#${name}`, name]);
  return {
    Update: {
      TableName,
      Key: { [key]: at(values, set.length) },
      UpdateExpression: `SET ${set.map((name) => `#${name} = :new_${name}`).join(', ')} REMOVE ${removed.map((name) => `#${name}`).join(', ')}`,
      ConditionExpression: others.map((name) => `#${name} = :old_${name}`).join(' AND '),
      ExpressionAttributeNames: Object.fromEntries(named([...set, ...removed, ...others])),
      ExpressionAttributeValues: Object.fromEntries([
        ...set.map((name, place) => [`:new_${name}`, at(values, place)]),
        ...others.map((name, place) => [`:old_${name}`, at(values, set.length + 1 + place)]),
      ]),
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    },
  };
}

function at(values: readonly AttributeValue[], place: number): AttributeValue {
  const value = values[place];
  if (value === undefined) throw new SyntaxError(`parameter ${place} is missing`);
  return value;
}
