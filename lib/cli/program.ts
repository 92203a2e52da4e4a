import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { programCommands } from './commands.ts';
import { errorText } from './visible.ts';

const { version, description } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { version: string; description: string };

/** Does what the command line asks for. */
export async function runProgram(): Promise<void> {
  const program = new Command('sqs-once').description(description).version(version);
  for (const command of programCommands()) program.addCommand(command);
  try {
    await program.parseAsync();
  } catch (error) {
    console.error(errorText(error));
    process.exitCode = 1;
  }
}
