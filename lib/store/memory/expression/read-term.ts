import type { ValueType } from '../value.ts';
import { readPath } from './path.ts';
import type { TokenReader } from './token-reader.ts';
import type { Term } from './update.ts';

/** The right side of a `SET`: one operand, or two with a sign between them. */
export function readTerm(reader: TokenReader): Term {
  const left = readOperand(reader);
  const sign = ['+', '-'].find((text) => reader.takes(text));
  if (sign === undefined) return left;
  const right = readOperand(reader);
  for (const operand of [left, right]) refuseType(reader, sign, operand, 'N');
  return { kind: sign === '+' ? 'plus' : 'minus', left, right };
}

function readOperand(reader: TokenReader): Term {
  if (reader.takes('(')) {
    const term = readTerm(reader);
    reader.expect(')');
    return term;
  }
  return readArgument(reader);
}

/** What a function takes: no sum, and no parentheses. */
function readArgument(reader: TokenReader): Term {
  if (reader.seesFunction()) return readFunction(reader);
  if (reader.peek().kind === 'value') return { kind: 'value', value: reader.valueOf(reader.next()) };
  return { kind: 'path', path: readPath(reader) };
}

function readFunction(reader: TokenReader): Term {
  const name = reader.next().text;
  reader.expect('(');
  const left = readArgument(reader);
  reader.expect(',');
  const right = readArgument(reader);
  reader.expect(')');
  if (name === 'if_not_exists') {
    if (left.kind === 'path') return { kind: 'if-not-exists', path: left.path, otherwise: right };
    throw reader.error('Operator or function requires a document path; operator or function: if_not_exists');
  }
  if (name !== 'list_append') throw reader.error(`Invalid function name; function: ${name}`);
  for (const operand of [left, right]) refuseNonList(reader, operand);
  return { kind: 'list-append', left, right };
}

function refuseNonList(reader: TokenReader, operand: Term): void {
  if (operand.kind === 'list-append') {
    throw reader.error(
      'The function is not allowed to be used this way in an expression; function: list_append',
    );
  }
  refuseType(reader, 'list_append', operand, 'L');
}

function refuseType(reader: TokenReader, name: string, operand: Term, type: ValueType): void {
  if (operand.kind !== 'value' || operand.value.type === type) return;
  throw reader.error(
    `Incorrect operand type for operator or function; operator or function: ${name}, operand type: ${operand.value.type}`,
  );
}
