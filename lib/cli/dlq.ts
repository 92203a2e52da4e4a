import { Command } from 'commander';
import { dlqDropCommand } from './dlq-drop.ts';
import { dlqListCommand } from './dlq-list.ts';
import { dlqRedriveCommand } from './dlq-redrive.ts';
import { dlqShowCommand } from './dlq-show.ts';

/** `sqs-once dlq`: what lies in a dead-letter queue, why, and the way back. */
export function dlqCommand(): Command {
  return new Command('dlq')
    .description('See what lies in a dead-letter queue, and bring it back or drop it.')
    .addCommand(dlqListCommand())
    .addCommand(dlqShowCommand())
    .addCommand(dlqRedriveCommand())
    .addCommand(dlqDropCommand());
}
