// What becomes of every command that the pages show. One that is missing here fails the check, and so does
// an entry that no page shows any more.
import { existsSync, readFileSync } from 'node:fs';
import { root } from './pages.ts';
import type { Shown } from './shown.ts';
import type { WorldName } from './worlds/world.ts';

/** How a command is known to work. */
export type Way =
  /** Run here, in a world of the page's own; `also` makes it small, `until` names the line after which Ctrl-C comes. */
  | { readonly here: WorldName; readonly also?: string; readonly until?: RegExp; readonly types?: string }
  /** A line of `.ci/run` does it. */
  | { readonly ci: string }
  /** This test runs the page's own text, or the very command. */
  | { readonly test: string }
  /** Why nobody can run it here. */
  | { readonly not: string };

type Entry = readonly [page: string, command: string | RegExp, way: Way];

const needsAws = { not: 'needs an AWS account' };
const releases = { not: 'is a step of a release' };

const plan: readonly Entry[] = [
  ['', /^npm ci( --no-audit)?$/, { ci: 'npm ci' }],
  ['', /^npm ci && npm run demo$/, { ci: 'npm run demo' }],
  ['', /^npm ci && npm test$/, { ci: 'npm test' }],
  ['', /^npm run demo$/, { ci: 'npm run demo' }],
  ['', 'npm test', { ci: 'npm test' }],
  [
    '',
    /^npm run (build|lint|types|test:package|stranger|docs:check|docs:reference|licences|test:deploy|budgets)$/,
    { ci: '$&' },
  ],
  ['', 'npm run demo -- --without-claims', { test: 'test/e2e/demo.test.ts' }],
  ['', 'npm run poison', { test: 'test/e2e/poison.test.ts' }],
  ['', 'npm run demo:webhook', { test: 'test/e2e/webhook-docs.test.ts' }],
  ['', 'npm run simulate', { not: 'runs a thousand worlds; npm test runs fewer of the same' }],
  ['', 'npm run bench', { not: 'measures for a quarter of an hour' }],
  ['', 'npm run format', { not: 'writes into the sources; npm run lint is the same without that' }],
  ['', 'npm run test:aws', needsAws],
  ['', /^npx cdk deploy/, needsAws],
  ['', 'npx cdk synth', { ci: 'npx cdk synth' }],
  [
    '',
    /^npx cdk synth --app/,
    { not: 'is for an app of the reader’s; npm run test:deploy deploys such a one' },
  ],
  [
    '',
    'npm pkg set type=module',
    { not: 'changes the reader’s project; those of test/package are of that type' },
  ],
  ['', /^npm (publish|version|deprecate|audit)/, releases],
  ['RELEASING.md', /^(npm install|npx) sqs-once/, releases],
  [
    '',
    /^npm (install|i) /,
    {
      not: 'asks a registry for what is not published yet; npm run test:package installs the packed tarball',
    },
  ],
  ['docs/webhooks.md', /./, { test: 'test/e2e/webhook-docs.test.ts' }],

  ['docs/parking.md', /^sqs-once claims release/, { here: 'held' }],
  ['', /^sqs-once (dlq|claims) /, { here: 'parked' }],
  ['', /^sqs-once window /, { here: 'parked' }],
  ['docs/chaos.md', 'npx sqs-once chaos', { here: 'project', also: '--messages 20 --duplicate 0.2' }],
  [
    'docs/chaos.md',
    /^npx sqs-once chaos --report/,
    { here: 'project', also: '--messages 20 --kill-worker-mid-handler 1' },
  ],
  [
    '',
    /^npx sqs-once chaos --handler/,
    { here: 'project', also: '--messages 30 --duplicate 0.2 --drop-replies 2' },
  ],
  ['docs/testing.md', /^npx sqs-once local --handler/, { here: 'project', until: /acknowledged/ }],
  [
    'docs/testing.md',
    /^npx sqs-once local --template/,
    { here: 'project', until: /acknowledged/, types: '{"orderId":"A-17"}\n' },
  ],
];

/** The way of a command, and complaints about the plan itself. */
export interface Planned {
  readonly ways: ReadonlyMap<Shown, Way>;
  readonly complaints: readonly string[];
}

export function planned(shown: readonly Shown[]): Planned {
  const unused = new Set(plan);
  const ways = new Map<Shown, Way>();
  const complaints: string[] = [];
  for (const one of shown) {
    const entry = plan.find(([page, command]) => isMeant(one, page, command));
    if (entry === undefined) {
      complaints.push(`${one.path}:${one.line}: nobody runs: ${one.command} (scripts/docs/plan.ts)`);
      continue;
    }
    unused.delete(entry);
    ways.set(one, entry[2]);
    complaints.push(...brokenWay(one, entry[2]));
  }
  for (const [page, command] of unused)
    complaints.push(`scripts/docs/plan.ts: no page shows ${page} ${String(command)}`);
  return { ways, complaints };
}

function isMeant(shown: Shown, page: string, command: string | RegExp): boolean {
  if (page !== '' && page !== shown.path) return false;
  return typeof command === 'string' ? command === shown.command : command.test(shown.command);
}

const ciLines = readFileSync(`${root}/.ci/run`, 'utf8').split('\n');

/** A promise that somebody else runs it, which is not so. */
function brokenWay({ path, line, command }: Shown, way: Way): readonly string[] {
  if ('ci' in way) {
    const wanted = way.ci === '$&' ? command : way.ci;
    const isThere = ciLines.some((text) => text === wanted || text.startsWith(`${wanted} `));
    return isThere ? [] : [`${path}:${line}: .ci/run has no ${wanted}`];
  }
  if ('test' in way && !existsSync(`${root}/${way.test}`))
    return [`${path}:${line}: there is no ${way.test}`];
  return [];
}
