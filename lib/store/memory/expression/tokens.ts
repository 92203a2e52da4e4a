export interface Token {
  readonly kind: 'word' | 'name' | 'value' | 'index' | 'symbol' | 'end' | 'unknown';
  readonly text: string;
}

const space = /\s*/y;

const forms: readonly (readonly [Token['kind'], RegExp])[] = [
  ['name', /#[A-Za-z0-9_]+/y],
  ['value', /:[A-Za-z0-9_]+/y],
  ['word', /[A-Za-z][A-Za-z0-9_]*/y],
  ['index', /\d+/y],
  ['symbol', /<>|<=|>=|[()[\],.=<>+-]/y],
  ['unknown', /./suy],
];

/** The expression's tokens, an `end` last. What is no token becomes `unknown`, which no grammar accepts. */
export function tokensOf(expression: string): readonly Token[] {
  const tokens: Token[] = [];
  let position = endOf(space, expression, 0) ?? 0;
  while (position < expression.length) {
    const [kind, end] = tokenAt(expression, position);
    tokens.push({ kind, text: expression.slice(position, end) });
    position = endOf(space, expression, end) ?? end;
  }
  return [...tokens, { kind: 'end', text: '<EOF>' }];
}

function tokenAt(expression: string, position: number): [kind: Token['kind'], end: number] {
  for (const [kind, form] of forms) {
    const end = endOf(form, expression, position);
    if (end !== undefined) return [kind, end];
  }
  return ['unknown', position + 1];
}

function endOf(form: RegExp, text: string, position: number): number | undefined {
  form.lastIndex = position;
  return form.test(text) ? form.lastIndex : undefined;
}
