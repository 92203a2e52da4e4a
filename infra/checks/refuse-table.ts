import { Stack, Validations } from 'aws-cdk-lib';
import { CfnGlobalTable, CfnTable, type ITable, type Table, type TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import { resourceOf } from './resolved.ts';

/**
 * A DynamoDB table of either generation. Spelled out, because the classes do not fit `ITable` where
 * TypeScript's `exactOptionalPropertyTypes` is on.
 */
export type AnyTable = ITable | Table | TableV2;

/** What a table looks like once everything that changes it has run; undefined where a token hides it. */
export interface TableShape {
  readonly partitionKey: string | undefined;
  readonly partitionKeyType: string | undefined;
  readonly hasSortKey: boolean;
  /** The TTL attribute, or why there is none. */
  readonly timeToLive: string | undefined;
  readonly replicas: number;
}

/** Checks the table at synth, or says what to check by hand where it lies outside this app. */
export function watchClaimTable(scope: Construct, table: AnyTable): void {
  const resource = resourceOf(table, isTable);
  if (resource === undefined) {
    Validations.of(scope).addWarning(
      'sqs-once:foreignClaimTable',
      `the claim table ${table.node.path} is not part of this app: check that its partition key is claim (a string), ` +
        'that it has no sort key, that its TTL attribute is expiresAt and that it is not replicated to other Regions',
    );
    return;
  }
  scope.node.addValidation({ validate: () => refuseTable(shapeOf(resource)) });
}

/** Why a table cannot hold claims. */
export function refuseTable(shape: TableShape): string[] {
  return [...refuseKeys(shape), ...refuseTimeToLive(shape), ...refuseReplicas(shape)];
}

function refuseKeys({ partitionKey, partitionKeyType, hasSortKey }: TableShape): string[] {
  const refusals: string[] = [];
  if ((partitionKey ?? 'claim') !== 'claim' || (partitionKeyType ?? 'S') !== 'S') {
    refusals.push(
      `the claim table's partition key is ${partitionKey} of type ${partitionKeyType}; make it claim of type S, or leave claimTable out`,
    );
  }
  if (hasSortKey) {
    refusals.push(
      'the claim table has a sort key; make a table without one: a claim is found by its key alone',
    );
  }
  return refusals;
}

function refuseTimeToLive({ timeToLive }: TableShape): string[] {
  if (timeToLive === undefined || timeToLive === 'expiresAt') return [];
  return [`the claim table's TTL attribute is ${timeToLive}; make it expiresAt, or the table grows for ever`];
}

function refuseReplicas({ replicas }: TableShape): string[] {
  if (replicas <= 1) return [];
  return [
    `the claim table has ${replicas} replicas; give it one: a condition is decided by the Region it is sent to, ` +
      'so two Regions would each win the same claim, and strongly consistent replicas have neither TTL nor transactions',
  ];
}

function shapeOf(resource: CfnTable | CfnGlobalTable): TableShape {
  const list = (value: unknown): readonly Element[] => {
    const resolved: unknown = Stack.of(resource).resolve(value);
    return Array.isArray(resolved) ? resolved : [];
  };
  const keys = list(resource.keySchema);
  const partitionKey = text(keys.find(({ keyType }) => keyType === 'HASH')?.attributeName);
  const attributes = list(resource.attributeDefinitions);
  const definition = attributes.find(({ attributeName }) => attributeName === partitionKey);
  return {
    partitionKey,
    partitionKeyType: text(definition?.attributeType),
    hasSortKey: keys.some(({ keyType }) => keyType === 'RANGE'),
    timeToLive: timeToLiveOf(Stack.of(resource).resolve(resource.timeToLiveSpecification)),
    replicas: CfnGlobalTable.isCfnGlobalTable(resource) ? list(resource.replicas).length : 1,
  };
}

/** An entry of a list in a resource, before anything is known about it. */
type Element = Readonly<Record<string, unknown>>;

function timeToLiveOf(specification: unknown): string | undefined {
  if (specification === undefined) return 'not set';
  const { attributeName, enabled } = Object(specification) as Element;
  return enabled === false ? 'switched off' : text(attributeName);
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function isTable(child: unknown): child is CfnTable | CfnGlobalTable {
  return CfnTable.isCfnTable(child) || CfnGlobalTable.isCfnGlobalTable(child);
}
