import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { stripVTControlCharacters } from 'node:util';
import type { Page } from './pages.ts';
import type { Way } from './plan.ts';
import { missingLine } from './same-answer.ts';
import type { Shown } from './shown.ts';
import { type World, type WorldName, worlds } from './worlds/world.ts';

type Here = Extract<Way, { readonly here: WorldName }>;

/** Runs what is to be run here, each page in worlds of its own; answers what did not go as the page shows. */
export async function runShown(
  ways: ReadonlyMap<Shown, Way>,
  pages: readonly Page[],
): Promise<{ readonly ran: number; readonly complaints: readonly string[] }> {
  const here = [...ways].flatMap(([shown, way]) => ('here' in way ? [{ shown, way }] : []));
  const groups = Map.groupBy(here, ({ shown, way }) => `${shown.path} ${way.here}`);
  const complaints: string[] = [];
  for (const group of groups.values()) {
    const [first] = group;
    const page = pages.find(({ path }) => path === first?.shown.path);
    if (first === undefined || page === undefined) continue;
    const world = await worlds[first.way.here](page, pages);
    try {
      for (const { shown, way } of group) complaints.push(...(await runOne(shown, way, world)));
    } finally {
      await world.stop();
    }
  }
  return { ran: here.length, complaints };
}

const patienceMillis = 90_000;

async function runOne(shown: Shown, way: Here, world: World): Promise<readonly string[]> {
  const command = [world.translate(shown.command), way.also].filter(Boolean).join(' ');
  const { AWS_PROFILE: _, ...inherited } = process.env;
  const shell = spawn('bash', ['-c', `exec ${command}`], {
    cwd: world.folder,
    env: { ...inherited, ...world.env, NO_COLOR: '1' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const late = setTimeout(() => shell.kill('SIGKILL'), patienceMillis);
  let said = '';
  let isInterrupted = false;
  for (const stream of [shell.stdout, shell.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += stripVTControlCharacters(text);
      if (isInterrupted || way.until === undefined || !way.until.test(said)) return;
      isInterrupted = true;
      shell.kill('SIGINT');
    });
  }
  if (way.until === undefined) shell.stdin.end();
  else shell.stdin.write(way.types ?? '');
  const [code] = await once(shell, 'close');
  clearTimeout(late);
  const where = `${shown.path}:${shown.line}: ${command}`;
  if (code !== 0) return [`${where}\nended with ${code} and said\n${said}`];
  const missing = missingLine(shown.answer, said);
  return missing === undefined ? [] : [`${where}\nshould say ${missing}\nand says\n${said}`];
}
