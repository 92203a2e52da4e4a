import { type Block, blocks, type Page, walk } from './pages.ts';

/** A command a page shows, and the lines it shows as its answer. */
export interface Shown {
  readonly path: string;
  readonly line: number;
  readonly command: string;
  readonly answer: readonly string[];
}

const shells: readonly string[] = ['sh', 'console'];

/** The commands in a page's blocks. */
export function shownCommands(page: Page): readonly Shown[] {
  return blocks(page)
    .filter(({ language }) => shells.includes(language))
    .flatMap((block) => (block.language === 'console' ? consoleCommands(block) : scriptCommands(block)));
}

/** What a page tells to type in the middle of a sentence: npm's commands, and ours with a subcommand. */
export function spokenCommands({ path, text, tokens }: Page): readonly Shown[] {
  const spans = [...walk(tokens)].flatMap((token) => (token.type === 'codespan' ? [token.text] : []));
  const spoken = spans.filter((span) =>
    /^(?:(?:npx )?sqs-once [a-z]|npm (?:ci|test|run \S|[a-z]+ \S)|npx )/.test(span),
  );
  return [...new Set(spoken)].map((command) => ({
    path,
    line: text.slice(0, text.indexOf(command.split(' ').slice(0, 2).join(' '))).split('\n').length,
    command: command.replace(/\s+/g, ' '),
    answer: [],
  }));
}

/** `$ ` before a command, its answer below it. */
export function consoleCommands({ path, line, code }: Block): readonly Shown[] {
  const shown: (Shown & { readonly answer: string[] })[] = [];
  for (const [place, text] of code.split('\n').entries()) {
    if (text.startsWith('$ '))
      shown.push({ path, line: line + place, command: withoutComment(text.slice(2)), answer: [] });
    else if (text.trim() !== '') shown.at(-1)?.answer.push(text);
  }
  return shown;
}

/** A command a line, unless the line goes on. */
function scriptCommands({ path, line, code }: Block): readonly Shown[] {
  const shown: Shown[] = [];
  let open = '';
  for (const [place, text] of code.split('\n').entries()) {
    const said = `${open}${withoutComment(text).trim()}`;
    open = said.endsWith('\\') ? said.slice(0, -1) : '';
    if (open === '' && said !== '') shown.push({ path, line: line + place, command: said, answer: [] });
  }
  return shown;
}

function withoutComment(text: string): string {
  return text.replace(/(^|\s+)# .*$/, '').trimEnd();
}

/** Pages are read on a phone and by machines: every block says what it is. */
export function namelessBlocks({ path, text }: Page): readonly string[] {
  let inside = false;
  return text.split('\n').flatMap((line, place) => {
    const [fence, language = ''] = /^ *```(\w*)/.exec(line) ?? [];
    if (fence === undefined) return [];
    inside = !inside;
    return inside && language === '' ? [`${path}:${place + 1}: a block without a language`] : [];
  });
}
