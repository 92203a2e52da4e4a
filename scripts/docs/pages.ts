import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { marked, type Token, type Tokens } from 'marked';

/** The repository's folder. */
export const root = new URL('../..', import.meta.url).pathname;

/** A Markdown file of this repository. */
export interface Page {
  /** From the repository's folder. */
  readonly path: string;
  readonly text: string;
  readonly tokens: readonly Token[];
}

/** A block of code, and the line it starts at in its file. */
export interface Block {
  readonly path: string;
  /** Of its first line of code, from 1. */
  readonly line: number;
  readonly language: string;
  readonly code: string;
}

export function files(...patterns: readonly string[]): readonly string[] {
  const known = ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...patterns];
  return [
    ...new Set(execFileSync('git', known, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean)),
  ];
}

export function pages(): readonly Page[] {
  return files('*.md').map((path) => {
    const text = readFileSync(`${root}/${path}`, 'utf8');
    return { path, text, tokens: marked.lexer(text) };
  });
}

/** Every token of a page, however deep. */
export function* walk(tokens: readonly Token[]): Generator<Token> {
  for (const token of tokens) {
    yield token;
    if ('tokens' in token && token.tokens !== undefined) yield* walk(token.tokens);
    if (token.type === 'list') yield* walk((token as Tokens.List).items);
    if (token.type === 'table') {
      const { header, rows } = token as Tokens.Table;
      for (const cell of [header, ...rows].flat()) yield* walk(cell.tokens);
    }
  }
}

const fence = /^( *)```(\w+)[^\n]*\n([\s\S]*?)^\1```/gm;

/** Fenced blocks of a page, found in its text, so that their lines are known. */
export function blocks({ path, text }: Pick<Page, 'path' | 'text'>): readonly Block[] {
  return [...text.matchAll(fence)].map((match) => {
    const [, indent = '', language = '', code = ''] = match;
    const line = text.slice(0, match.index).split('\n').length + 1;
    return { path, line, language, code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), '') };
  });
}
