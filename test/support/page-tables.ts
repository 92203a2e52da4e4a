import { marked, type Tokens } from 'marked';

/** The tables of a page, in order: rows of cells as they are written, without their headings. */
export function tablesOf(text: string): readonly (readonly (readonly string[])[])[] {
  return marked
    .lexer(text)
    .filter((token): token is Tokens.Table => token.type === 'table')
    .map(({ rows }) => rows.map((row) => row.map((cell) => cell.text)));
}
