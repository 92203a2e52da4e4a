import { type ValueType, valueTypes } from '../value.ts';
import type { Condition, Operand } from './condition.ts';
import { type Path, pathText, readPath } from './path.ts';
import type { TokenReader } from './token-reader.ts';

/** Every function DynamoDB knows. The last two belong to update expressions, the others each to one place. */
const functions: readonly string[] = [
  'attribute_exists',
  'attribute_not_exists',
  'attribute_type',
  'begins_with',
  'contains',
  'size',
  'if_not_exists',
  'list_append',
];

/** An attribute, a given value or `size(…)`. */
export function readOperand(reader: TokenReader): Operand {
  if (reader.seesFunction()) return readSize(reader);
  if (reader.peek().kind === 'value') return { kind: 'value', value: reader.valueOf(reader.next()) };
  return { kind: 'path', path: readPath(reader) };
}

function readSize(reader: TokenReader): Operand {
  const name = reader.peek().text;
  if (name !== 'size') throw misused(reader, name);
  const [of] = readArguments(reader, 1);
  if (of.kind === 'size') throw misused(reader, 'size');
  refuseTypes(reader, 'size', of, ['S', 'B', 'SS', 'NS', 'BS', 'L', 'M']);
  return { kind: 'size', of };
}

/** A function that is a condition by itself, or nothing when `size` stands here, which is an operand. */
export function readTest(reader: TokenReader): Condition | undefined {
  const name = reader.peek().text;
  switch (name) {
    case 'attribute_exists':
      return { kind: 'exists', path: pathOf(reader, name, readArguments(reader, 1)[0]) };
    case 'attribute_not_exists':
      return { kind: 'not-exists', path: pathOf(reader, name, readArguments(reader, 1)[0]) };
    case 'attribute_type': {
      const [operand, type] = readArguments(reader, 2);
      return { kind: 'type', operand, type: typeNamed(reader, type) };
    }
    case 'begins_with': {
      const [operand, prefix] = readArguments(reader, 2);
      for (const argument of [operand, prefix]) refuseTypes(reader, name, argument, ['S', 'B']);
      return { kind: 'begins-with', operand, prefix };
    }
    case 'contains': {
      const [operand, member] = readArguments(reader, 2);
      refuseSamePath(reader, operand, member);
      return { kind: 'contains', operand, member };
    }
    case 'size':
      return undefined;
    default:
      throw misused(reader, name);
  }
}

function readArguments(reader: TokenReader, count: 1): readonly [Operand];
function readArguments(reader: TokenReader, count: 2): readonly [Operand, Operand];
function readArguments(reader: TokenReader, count: number): readonly Operand[] {
  const name = reader.next().text;
  reader.expect('(');
  const operands = [readOperand(reader)];
  while (reader.takes(',')) operands.push(readOperand(reader));
  reader.expect(')');
  if (operands.length !== count) {
    throw reader.error(
      `Incorrect number of operands for operator or function; operator or function: ${name}, number of operands: ${operands.length}`,
    );
  }
  return operands;
}

function misused(reader: TokenReader, name: string) {
  return reader.error(
    functions.includes(name)
      ? `The function is not allowed to be used this way in an expression; function: ${name}`
      : `Invalid function name; function: ${name}`,
  );
}

function pathOf(reader: TokenReader, name: string, operand: Operand): Path {
  if (operand.kind === 'path') return operand.path;
  throw reader.error(`Operator or function requires a document path; operator or function: ${name}`);
}

function typeNamed(reader: TokenReader, operand: Operand): string {
  if (operand.kind !== 'value' || operand.value.type !== 'S') {
    throw reader.error(
      'Incorrect operand type for operator or function; operator or function: attribute_type',
    );
  }
  const type = operand.value.value;
  if (valueTypes.includes(type)) return type;
  throw reader.error(`Invalid attribute type name found; valid types: {${valueTypes.join(',')}}`);
}

function refuseTypes(
  reader: TokenReader,
  name: string,
  operand: Operand,
  allowed: readonly ValueType[],
): void {
  if (operand.kind !== 'value' || allowed.includes(operand.value.type)) return;
  throw reader.error(
    `Incorrect operand type for operator or function; operator or function: ${name}, operand type: ${operand.value.type}`,
  );
}

function refuseSamePath(reader: TokenReader, first: Operand, second: Operand): void {
  if (first.kind !== 'path' || second.kind !== 'path') return;
  if (pathText(first.path) !== pathText(second.path)) return;
  throw reader.error(
    `The first operand must be distinct from the remaining operands for this operator or function; operator: contains, first operand: ${pathText(first.path)}`,
  );
}
