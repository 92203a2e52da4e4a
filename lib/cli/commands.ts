import type { Command } from 'commander';
import { chaosCommand } from './chaos.ts';
import { claimsCommand } from './claims.ts';
import { dlqCommand } from './dlq.ts';
import { doctorCommand } from './doctor.ts';
import { localCommand } from './local.ts';
import { windowCommand } from './window.ts';

/** What `sqs-once` can do. */
export function programCommands(): readonly Command[] {
  return [localCommand(), chaosCommand(), dlqCommand(), claimsCommand(), windowCommand(), doctorCommand()];
}
