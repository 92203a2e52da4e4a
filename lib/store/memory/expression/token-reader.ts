import { type DynamoError, validationError } from '../dynamo-error.ts';
import type { Value } from '../value.ts';
import type { Placeholders } from './placeholders.ts';
import { type Token, tokensOf } from './tokens.ts';

export type ExpressionKind = 'ConditionExpression' | 'UpdateExpression';

const end: Token = { kind: 'end', text: '<EOF>' };

/** Walks over an expression's tokens. Keywords are the same in capitals and small letters. */
export class TokenReader {
  readonly #tokens: readonly Token[];
  readonly #kind: ExpressionKind;
  readonly #placeholders: Placeholders;
  #position = 0;

  constructor(expression: string, kind: ExpressionKind, placeholders: Placeholders) {
    this.#tokens = tokensOf(expression);
    this.#kind = kind;
    this.#placeholders = placeholders;
    if (this.peek().kind === 'end') throw this.error('The expression can not be empty;');
  }

  peek(ahead = 0): Token {
    return this.#tokens[this.#position + ahead] ?? end;
  }

  next(): Token {
    const token = this.peek();
    this.#position += 1;
    return token;
  }

  /** Whether a symbol or keyword stands here. */
  sees(text: string): boolean {
    const token = this.peek();
    return (token.kind === 'symbol' || token.kind === 'word') && token.text.toUpperCase() === text;
  }

  /** Steps over a symbol or keyword, if it stands here. */
  takes(text: string): boolean {
    const seen = this.sees(text);
    if (seen) this.next();
    return seen;
  }

  expect(text: string): void {
    if (!this.takes(text)) throw this.syntaxError();
  }

  /** Whether a function's name and its parenthesis stand here. */
  seesFunction(): boolean {
    return this.peek().kind === 'word' && this.peek(1).text === '(';
  }

  /** What the `#name` just read stands for. */
  nameOf(token: Token): string {
    const name = this.#placeholders.name(token.text);
    if (name !== undefined) return name;
    throw this.error(
      `An expression attribute name used in the document path is not defined; attribute name: ${token.text}`,
    );
  }

  /** What the `:value` just read stands for. */
  valueOf(token: Token): Value {
    const value = this.#placeholders.value(token.text);
    if (value !== undefined) return value;
    throw this.error(
      `An expression attribute value used in expression is not defined; attribute value: ${token.text}`,
    );
  }

  syntaxError(): DynamoError {
    const near = [this.peek(-1), this.peek(), this.peek(1)].filter(({ kind }) => kind !== 'end');
    return this.error(
      `Syntax error; token: "${this.peek().text}", near: "${near.map(({ text }) => text).join(' ')}"`,
    );
  }

  error(message: string): DynamoError {
    return validationError(`Invalid ${this.#kind}: ${message}`);
  }
}
