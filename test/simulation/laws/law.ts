import type { OnceEvent } from '../../../lib/observe/events.ts';
import type { Outcome } from '../../../lib/settle/outcome.ts';
import type { TransactStatement } from '../../../lib/store/table.ts';
import type { LetterFacts, RowChange, Run, Work } from '../facts.ts';
import type { Process } from '../world/process.ts';
import type { World } from '../world/world.ts';

export type UserWrites = TransactStatement['TransactItems'];

/** What a law looks at. Each is called before the facts take down what happened. */
export interface Law {
  rowChanged?(change: RowChange): void;
  /** A transaction landed with these writes beside the claim's. */
  committed?(change: RowChange, writes: UserWrites): void;
  runStarted?(run: Run): void;
  effectAsked?(run: Run, name: string, key: string): void;
  told?(process: Process, event: OnceEvent, work: Work | undefined): void;
  /** A process asks SQS when to show a message again. */
  visibilityAsked?(process: Process, messageId: string, seconds: number): void;
  parkingSent?(process: Process, parkId: string | undefined): void;
  followUpSent?(process: Process, key: string | undefined): void;
  followUpAccepted?(key: string | undefined): void;
  /** A process wants no more of a message. */
  acknowledged?(process: Process, letter: LetterFacts): void;
  duplicateAnswered?(work: Work, outcome: Outcome): void;
  /** Everything has healed and come to an end. */
  ended?(): void;
}

/** Says that a law is broken, and how. */
export type Accuse = (law: string, how: string) => void;

export type LawIn = (world: World, accuse: Accuse) => Law;
