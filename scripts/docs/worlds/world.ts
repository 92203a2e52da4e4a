import { heldWorld } from './held.ts';
import { parkedWorld } from './parked.ts';
import { projectWorld } from './project.ts';

/** Where a page's commands are run, as the reader has it when they type them. */
export interface World {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** The command with what differs here: ids that SQS made up. */
  readonly translate: (command: string) => string;
  stop(): Promise<void>;
}

export const worlds = { parked: parkedWorld, held: heldWorld, project: projectWorld } as const;

export type WorldName = keyof typeof worlds;
