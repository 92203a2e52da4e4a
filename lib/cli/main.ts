#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { styleText } from 'node:util';
import { Command } from 'commander';
import { chaosCommand } from './chaos.ts';
import { claimsCommand } from './claims.ts';
import { dlqCommand } from './dlq.ts';
import { doctorCommand } from './doctor.ts';
import { localCommand } from './local.ts';
import { windowCommand } from './window.ts';

const { version, description } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { version: string; description: string };

const program = new Command('sqs-once').description(description).version(version);
for (const command of [
  localCommand(),
  chaosCommand(),
  dlqCommand(),
  claimsCommand(),
  windowCommand(),
  doctorCommand(),
])
  program.addCommand(command);

try {
  await program.parseAsync();
} catch (error) {
  console.error(styleText('red', error instanceof Error ? error.message : String(error)));
  process.exitCode = 1;
}
