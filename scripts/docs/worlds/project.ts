import { blocks, type Page } from '../pages.ts';
import { makeFolder } from './folder.ts';
import { synthesizeShop } from './shop.ts';
import type { World } from './world.ts';

/** A project with the files the pages show, those the page presumes, and a stack that is synthesized. */
export async function projectWorld(page: Page, pages: readonly Page[]): Promise<World> {
  const folder = makeFolder();
  for (const { code } of pages.flatMap(blocks)) {
    const [, file] = /^\/\/ (\w+\/[\w.-]+)\n/.exec(code) ?? [];
    if (file !== undefined) folder.write(file, code);
  }
  for (const file of ['dist/lambda.js', 'handlers/lambda.js']) folder.write(file, payments);
  folder.write('orders.jsonl', ['A-1', 'A-2', 'A-3'].map((id) => `{"orderId":"${id}"}\n`).join(''));
  if (page.text.includes('cdk.out/')) await synthesizeShop(`${folder.path}/cdk.out`);
  return {
    folder: folder.path,
    env: folder.env,
    translate: (command) => command,
    async stop() {
      folder.remove();
    },
  };
}

const payments = `
import { consumeOnce } from 'sqs-once';
export const handler = consumeOnce({ scope: 'payments', key: ({ body }) => body.orderId }, () => {});
`;
