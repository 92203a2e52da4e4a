import { JSDOM } from 'jsdom';
import { type Block, blocks, type Page } from './pages.ts';

export function diagrams(pages: readonly Page[]): readonly Block[] {
  return pages.flatMap(blocks).filter(({ language }) => language === 'mermaid');
}

/** Every diagram that Mermaid itself cannot read. */
export async function brokenDiagrams(found: readonly Block[]): Promise<readonly string[]> {
  const mermaid = await loadMermaid();
  const complaints: string[] = [];
  for (const { path, line, code } of found) {
    try {
      await mermaid.parse(code);
    } catch (error) {
      complaints.push(`${path}:${line}: ${(error as Error).message}`);
    }
  }
  return complaints;
}

/** Mermaid cleans the labels of flow charts with a library that wants a document, when it is loaded. */
async function loadMermaid() {
  const { window } = new JSDOM('');
  Object.assign(globalThis, { window, document: window.document });
  const { default: mermaid } = await import('mermaid');
  return mermaid;
}
