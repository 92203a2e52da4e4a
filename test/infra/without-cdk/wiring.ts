/**
 * What a consumer is wired to, in whatever language it is written down. References are by part and attribute:
 * `queue.Arn`, `table.Ref`.
 */
export interface Wiring {
  readonly table: {
    readonly key: readonly (readonly [name: string, type: string])[];
    readonly timeToLive: string | undefined;
    readonly billing: string;
    readonly protected: boolean;
    readonly restorable: boolean;
  };
  readonly queue: {
    readonly visibilitySeconds: number;
    readonly retentionSeconds: number;
    readonly maxReceiveCount: number;
    readonly deadLettersGoTo: string;
  };
  readonly deadLetters: { readonly retentionSeconds: number };
  readonly mapping: {
    readonly from: string;
    readonly batchSize: number;
    readonly responses: readonly string[];
  };
  readonly function: {
    readonly runtime: string;
    readonly architecture: string;
    readonly timeoutSeconds: number;
    readonly memoryMegabytes: number;
  };
  readonly environment: Readonly<Record<string, string>>;
  readonly rights: Rights;
  readonly alarm: {
    readonly metric: string;
    readonly on: string;
    readonly statistic: string;
    readonly periodSeconds: number;
    readonly periods: number;
    readonly threshold: number;
    readonly comparison: string;
    readonly missingData: string;
  };
}

/** What may be done to which resource, sorted. */
export type Rights = Readonly<Record<string, readonly string[]>>;

/** Queues that say nothing keep messages for four days: SQS's own default. */
export const unsaidRetentionSeconds = 345_600;

export interface Statement {
  readonly effect: string;
  readonly actions: readonly string[];
  readonly resource: string;
}

/** Statements by resource: neither their order nor how they are cut matters to IAM. */
export function rightsOf(statements: readonly Statement[]): Rights {
  const rights: Record<string, string[]> = {};
  for (const { effect, actions, resource } of statements) {
    const known = rights[resource] ?? [];
    const said = actions.map((action) => (effect === 'Allow' ? action : `${effect} ${action}`));
    rights[resource] = [...new Set([...known, ...said])].sort();
  }
  return rights;
}
