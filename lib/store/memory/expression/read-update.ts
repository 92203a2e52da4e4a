import type { ValueType } from '../value.ts';
import { refuseOverlaps } from './overlap.ts';
import { readPath } from './path.ts';
import type { Placeholders } from './placeholders.ts';
import { readTerm } from './read-term.ts';
import { TokenReader } from './token-reader.ts';
import type { UpdateAction } from './update.ts';

const clauses = ['SET', 'REMOVE', 'ADD', 'DELETE'] as const;

const sets: readonly ValueType[] = ['SS', 'NS', 'BS'];

/** @throws a `ValidationException` for what DynamoDB would not take, whatever the item */
export function readUpdate(expression: string, placeholders: Placeholders): readonly UpdateAction[] {
  const reader = new TokenReader(expression, 'UpdateExpression', placeholders);
  const seen = new Set<string>();
  const actions: UpdateAction[] = [];
  while (reader.peek().kind !== 'end') {
    const clause = clauses.find((name) => reader.takes(name));
    if (clause === undefined) throw reader.syntaxError();
    if (seen.has(clause)) {
      throw reader.error(`The "${clause}" section can only be used once in an update expression;`);
    }
    seen.add(clause);
    do actions.push(readAction(reader, clause));
    while (reader.takes(','));
  }
  refuseOverlaps(
    reader,
    actions.map(({ path }) => path),
  );
  return actions;
}

function readAction(reader: TokenReader, clause: (typeof clauses)[number]): UpdateAction {
  const path = readPath(reader);
  switch (clause) {
    case 'SET':
      reader.expect('=');
      return { kind: 'set', path, term: readTerm(reader) };
    case 'REMOVE':
      return { kind: 'remove', path };
    case 'ADD':
      return { kind: 'add', path, value: readAmount(reader, clause, ['N', ...sets]) };
    case 'DELETE':
      return { kind: 'delete', path, value: readAmount(reader, clause, sets) };
  }
}

function readAmount(reader: TokenReader, clause: string, allowed: readonly ValueType[]) {
  if (reader.peek().kind !== 'value') throw reader.syntaxError();
  const value = reader.valueOf(reader.next());
  if (allowed.includes(value.type)) return value;
  throw reader.error(
    `Incorrect operand type for operator or function; operator: ${clause}, operand type: ${value.type}`,
  );
}
