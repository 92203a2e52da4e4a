import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import type { PageAssets } from './bundle-page.ts';

/** The page's program and looks: bundled on the spot from the sources, or as they lie beside the built CLI. */
export async function pageAssets(): Promise<PageAssets> {
  if (extname(import.meta.url) === '.ts') {
    const { bundlePage } = await import('./bundle-page.ts');
    return bundlePage();
  }
  const read = (name: string) => readFile(new URL(name, import.meta.url), 'utf8');
  return { script: await read('./report-page.js'), styles: await read('./report-page.css') };
}
