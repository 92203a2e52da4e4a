import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import GithubSlugger from 'github-slugger';
import { marked, type Tokens } from 'marked';
import { type Page, root, walk } from './pages.ts';

/** Every link to a file of this repository, and to a heading of it, that leads nowhere. */
export function brokenLinks(page: Page): readonly string[] {
  const links = [...walk(page.tokens)].filter((token): token is Tokens.Link | Tokens.Image =>
    ['link', 'image'].includes(token.type),
  );
  return links.flatMap(({ href }) => {
    const why = brokenBecause(page, href);
    return why === undefined ? [] : [`${page.path}: ${href} ${why}`];
  });
}

function brokenBecause(page: Page, href: string): string | undefined {
  if (/^(https?|mailto):/.test(href)) return URL.canParse(href) ? undefined : 'is no URL';
  const [path = '', heading] = href.split('#');
  const file = path === '' ? page.path : relative(root, join(root, dirname(page.path), path));
  if (!existsSync(join(root, file))) return 'is not there';
  if (heading === undefined || statSync(join(root, file)).isDirectory()) return undefined;
  if (!file.endsWith('.md')) return undefined;
  return headingsOf(readFileSync(join(root, file), 'utf8')).has(heading) ? undefined : 'has no such heading';
}

function headingsOf(text: string): ReadonlySet<string> {
  const slugger = new GithubSlugger();
  const headings = [...walk(marked.lexer(text))].filter((token) => token.type === 'heading');
  return new Set(headings.map((token) => slugger.slug(plain(token as Tokens.Heading))));
}

function plain({ text }: Tokens.Heading): string {
  return text.replaceAll(/[`*]/g, '').replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');
}
