import { order } from '../compare.ts';
import type { ValueType } from '../value.ts';
import type { Comparator, Condition, Operand } from './condition.ts';
import type { Placeholders } from './placeholders.ts';
import { readOperand, readTest } from './read-test.ts';
import { TokenReader } from './token-reader.ts';

const comparators: readonly string[] = ['=', '<>', '<', '<=', '>', '>='] satisfies Comparator[];

/** The types that have an order. */
const ordered: readonly ValueType[] = ['S', 'N', 'B'];

/** `IN` takes 100 operands, the one it looks for among them. */
const mostOptions = 99;

/** @throws a `ValidationException` for what DynamoDB would not take, whatever the item */
export function readCondition(expression: string, placeholders: Placeholders): Condition {
  const reader = new TokenReader(expression, 'ConditionExpression', placeholders);
  const condition = readOr(reader);
  if (reader.peek().kind !== 'end') throw reader.syntaxError();
  return condition;
}

function readOr(reader: TokenReader): Condition {
  let left = readAnd(reader);
  while (reader.takes('OR')) left = { kind: 'or', left, right: readAnd(reader) };
  return left;
}

function readAnd(reader: TokenReader): Condition {
  let left = readNot(reader);
  while (reader.takes('AND')) left = { kind: 'and', left, right: readNot(reader) };
  return left;
}

function readNot(reader: TokenReader): Condition {
  return reader.takes('NOT') ? { kind: 'not', condition: readNot(reader) } : readPrimary(reader);
}

function readPrimary(reader: TokenReader): Condition {
  if (reader.takes('(')) {
    const condition = readOr(reader);
    reader.expect(')');
    if (condition.kind === 'group') throw reader.error('The expression has redundant parentheses;');
    return { kind: 'group', condition };
  }
  const test = reader.seesFunction() ? readTest(reader) : undefined;
  return test ?? readComparison(reader);
}

function readComparison(reader: TokenReader): Condition {
  const operand = readOperand(reader);
  if (reader.takes('BETWEEN')) {
    const low = readOperand(reader);
    reader.expect('AND');
    const high = readOperand(reader);
    refuseUnordered(reader, 'BETWEEN', [operand, low, high]);
    refuseEmptyRange(reader, low, high);
    return { kind: 'between', operand, low, high };
  }
  if (reader.takes('IN')) return { kind: 'in', operand, options: readOptions(reader) };
  const { text } = reader.peek();
  if (!comparators.includes(text)) throw reader.syntaxError();
  reader.next();
  const right = readOperand(reader);
  if (text !== '=' && text !== '<>') refuseUnordered(reader, text, [operand, right]);
  return { kind: 'compare', comparator: text as Comparator, left: operand, right };
}

function readOptions(reader: TokenReader): readonly Operand[] {
  reader.expect('(');
  const options = [readOperand(reader)];
  while (reader.takes(',')) options.push(readOperand(reader));
  reader.expect(')');
  if (options.length > mostOptions) {
    throw reader.error(
      `Invalid number of operands for operator or function; operator or function: IN, number of operands: ${options.length + 1}`,
    );
  }
  return options;
}

/** Only given values are looked at: an attribute of another type makes the condition false instead. */
function refuseUnordered(reader: TokenReader, operator: string, operands: readonly Operand[]): void {
  for (const operand of operands) {
    if (operand.kind === 'value' && !ordered.includes(operand.value.type)) {
      throw reader.error(
        `Incorrect operand type for operator or function; operator or function: ${operator}, operand type: ${operand.value.type}`,
      );
    }
  }
}

function refuseEmptyRange(reader: TokenReader, low: Operand, high: Operand): void {
  if (low.kind !== 'value' || high.kind !== 'value') return;
  const difference = order(low.value, high.value);
  if (difference === undefined) {
    throw reader.error('The BETWEEN operator requires same data type for lower and upper bounds');
  }
  if (difference > 0) {
    throw reader.error(
      'The BETWEEN operator requires upper bound to be greater than or equal to lower bound',
    );
  }
}
