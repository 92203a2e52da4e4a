import { mkdirSync, writeFileSync } from 'node:fs';
import puppeteer from 'puppeteer-core';
import { chromium, whyNot } from '../../test/local/report/chromium.ts';
import { type Block, root } from './pages.ts';

const folder = `${root}/reports/diagrams`;

/** As GitHub shows them on a phone; a page is as high as its diagram. */
const phone = { width: 390, height: 100, deviceScaleFactor: 2 };

/** Draws every diagram into `reports/diagrams`, for people to look at; answers those that cannot be drawn. */
export async function drawDiagrams(found: readonly Block[]): Promise<readonly string[]> {
  if (chromium === undefined) {
    console.log(`Diagrams are parsed but not drawn: ${whyNot}`);
    return [];
  }
  mkdirSync(folder, { recursive: true });
  const browser = await puppeteer.launch({ executablePath: chromium, args: ['--no-sandbox'] });
  const complaints: string[] = [];
  try {
    const page = await browser.newPage();
    await page.setViewport(phone);
    await page.setContent('<body style="margin: 16px"><div id="diagram"></div></body>');
    await page.addScriptTag({ path: `${root}/node_modules/mermaid/dist/mermaid.min.js` });
    for (const { path, line, code } of found) {
      try {
        await page.evaluate(draw, code);
        const name = `${path.replaceAll('/', '-')}-${line}.png`;
        writeFileSync(`${folder}/${name}`, await page.screenshot({ fullPage: true }));
      } catch (error) {
        complaints.push(`${path}:${line}: ${(error as Error).message}`);
      }
    }
  } finally {
    await browser.close();
  }
  return complaints;
}

/** In the page. */
async function draw(code: string): Promise<void> {
  const { mermaid, document } = globalThis as unknown as {
    mermaid: { render(id: string, code: string): Promise<{ svg: string }> };
    document: { getElementById(id: string): { innerHTML: string } };
  };
  const { svg } = await mermaid.render('drawn', code);
  document.getElementById('diagram').innerHTML = svg;
}
