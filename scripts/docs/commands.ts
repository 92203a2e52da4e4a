import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { programCommands } from '../../lib/cli/commands.ts';
import { root } from './pages.ts';
import type { Shown } from './shown.ts';

const { scripts } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8')) as {
  scripts: Readonly<Record<string, string>>;
};

/** Every shown `npm run` without a script, and every `sqs-once` that the command line would not take. */
export function brokenCommands(shown: readonly Shown[]): readonly string[] {
  return shown.flatMap(({ path, line, command }) =>
    [...brokenScripts(command), ...brokenUse(command)].map((why) => `${path}:${line}: ${why}`),
  );
}

function brokenScripts(text: string): readonly string[] {
  return [...text.matchAll(/npm run ([\w:-]+)/g)]
    .map(([, name = '']) => name)
    .filter((name) => scripts[name] === undefined)
    .map((name) => `there is no script ${name}`);
}

function brokenUse(text: string): readonly string[] {
  const [, args] = /(?:^|&& |npx )sqs-once ([^|&;<>]+)/.exec(text) ?? [];
  if (args === undefined || args === '--help') return [];
  let words = (args.match(/"[^"]*"|'[^']*'|\S+/g) ?? []).map((word) => word.replaceAll(/^["']|["']$/g, ''));
  let commands: readonly Command[] = programCommands();
  let command: Command | undefined;
  for (let next = named(commands, words[0]); next !== undefined; next = named(commands, words[0])) {
    command = next;
    commands = next.commands;
    words = words.slice(1);
  }
  if (command === undefined) return [`sqs-once has no command ${words[0]}`];
  const { unknown } = command.parseOptions([...words]);
  const [flag] = unknown.filter((word) => word.startsWith('-') && !['--help', '-h'].includes(word));
  return flag === undefined ? [] : [`sqs-once ${command.name()} has no option ${flag}`];
}

function named(commands: readonly Command[], name: string | undefined): Command | undefined {
  return commands.find((command) => command.name() === name);
}
