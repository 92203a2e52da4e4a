import type { Item, Value } from '../value.ts';
import { isReservedWord } from './reserved-words.ts';
import type { TokenReader } from './token-reader.ts';

/** Where a value lies in an item: names of members and places in lists, from the attribute inwards. */
export type Path = readonly [string, ...(readonly (string | number)[])];

/** `a.b[0].#name` */
export function readPath(reader: TokenReader): Path {
  const attribute = readName(reader);
  const inner: (string | number)[] = [];
  for (;;) {
    if (reader.takes('.')) {
      inner.push(readName(reader));
    } else if (reader.takes('[')) {
      if (reader.peek().kind !== 'index') throw reader.syntaxError();
      inner.push(Number(reader.next().text));
      reader.expect(']');
    } else {
      return [attribute, ...inner];
    }
  }
}

function readName(reader: TokenReader): string {
  const token = reader.peek();
  if (token.kind === 'name') return reader.nameOf(reader.next());
  if (token.kind !== 'word') throw reader.syntaxError();
  if (isReservedWord(token.text)) {
    throw reader.error(`Attribute name is a reserved keyword; reserved keyword: ${token.text}`);
  }
  return reader.next().text;
}

export function valueAt(item: Item, [attribute, ...inner]: Path): Value | undefined {
  let value = item.get(attribute);
  for (const step of inner) {
    if (typeof step === 'string') value = value?.type === 'M' ? value.value.get(step) : undefined;
    else value = value?.type === 'L' ? value.value[step] : undefined;
  }
  return value;
}

export function pathText(path: Path): string {
  return `[${path.map((step) => (typeof step === 'number' ? `[${step}]` : step)).join(', ')}]`;
}
