/** What was seen of a part, that it is not there, or why it could not be checked. */
export type Seen<Part> =
  | { readonly status: 'seen'; readonly part: Part }
  | { readonly status: 'missing' }
  | { readonly status: 'unseen'; readonly why: string };

export interface QueueFacts {
  readonly url: string;
  readonly arn: string;
  readonly name: string;
  readonly fifo: boolean;
  readonly visibilityTimeoutSeconds: number;
  readonly retentionSeconds: number;
  readonly delaySeconds: number;
  /** Messages waiting. */
  readonly waiting: number;
  readonly redrive: { readonly targetArn: string; readonly maxReceiveCount: number } | undefined;
}

export interface FunctionFacts {
  readonly name: string;
  readonly timeoutSeconds: number;
  readonly runtime: string | undefined;
  readonly roleArn: string | undefined;
  /** Missing where none is reserved. */
  readonly reservedConcurrency: Seen<number>;
  /** Only variables that begin with `SQS_ONCE_`: the others are nobody's business. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export interface MappingFacts {
  readonly queueArn: string;
  readonly functionName: string;
  readonly state: string;
  readonly batchSize: number;
  readonly batchingWindowSeconds: number;
  readonly partialResponses: boolean;
  readonly maxConcurrency: number | undefined;
}

export interface TableFacts {
  readonly name: string;
  readonly arn: string;
  readonly keys: readonly { readonly name: string; readonly kind: string; readonly type: string }[];
  readonly replicas: number;
  readonly deletionProtection: boolean;
  readonly ttl: Seen<{ readonly attribute: string | undefined; readonly enabled: boolean }>;
  readonly restorable: Seen<boolean>;
}

export interface AlarmFacts {
  readonly name: string;
  readonly notifies: boolean;
  readonly state: string | undefined;
}

export interface RightFacts {
  readonly action: string;
  readonly resource: string;
  readonly allowed: boolean;
}

/** Everything the doctor looked at of one consumer. */
export interface Facts {
  readonly mapping: Seen<MappingFacts>;
  readonly queue: Seen<QueueFacts>;
  readonly deadLetterQueue: Seen<QueueFacts>;
  readonly function: Seen<FunctionFacts>;
  readonly table: Seen<TableFacts>;
  /** Alarms on messages waiting in the dead-letter queue. */
  readonly alarms: Seen<readonly AlarmFacts[]>;
  readonly rights: Seen<readonly RightFacts[]>;
}

/** The part, where it was seen. */
export function seen<Part>(look: Seen<Part>): Part | undefined {
  return look.status === 'seen' ? look.part : undefined;
}
