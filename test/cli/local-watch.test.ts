// `sqs-once local --watch`: the next message meets what was written last.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { newProject, ours, type Project, saying } from './local-project.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 60_000 });

let project: Project;
beforeEach(() => {
  project = newProject();
});
afterEach(() => project.remove());

test('the next message meets the changed code, and code that does not load is told until it is mended', async () => {
  project.write('greet.js', saying("'hello ' + body"));
  const { shown, type } = await project.open('--handler', 'greet.handler', '--queue', 'greet', '--watch');
  type('"ada"');
  await shown('hello "ada"');

  project.write('greet.js', saying("'good evening ' + body"));
  await shown(/greet\.js changed, workers start anew/);
  await shown('new workers are ready');
  type('"bob"');
  await shown('good evening "bob"');

  project.write('greet.js', 'export const handler = (');
  await shown(/The handler in .* does not load: SyntaxError/);

  project.write('greet.js', saying("'good night ' + body"));
  await shown('new workers are ready', 2);
  type('"cyd"');
  await shown('good night "cyd"');
});

test('what the handler imports counts, wherever in the project it lies; what the handler writes does not', async () => {
  mkdirSync(join(project.folder, 'handlers'));
  project.write('words.js', "export const words = 'hello ';");
  const imports = "import { appendFileSync } from 'node:fs'; import { words } from '../words.js';";
  project.write(
    'handlers/greet.js',
    `${imports} appendFileSync('seen.txt', 'loaded'); ${saying('words + body')}`,
  );
  const opened = await project.open('--handler', 'handlers/greet.handler', '--queue', 'greet', '--watch');
  opened.type('"ada"');
  await opened.shown('hello "ada"');
  project.write('words.js', "export const words = 'good evening ';");
  await opened.shown('words.js changed, workers start anew');
  await opened.shown('new workers are ready');
  opened.type('"bob"');
  await opened.shown('good evening "bob"');
  expect(ours(opened)).not.toMatch(/seen\.txt/);
});
