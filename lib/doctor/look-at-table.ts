import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { type Clients, lookAt } from './clients.ts';
import type { Seen, TableFacts } from './facts.ts';

/** The claim table by its name or ARN. */
export function lookAtTable({ dynamo }: Clients, TableName: string): Promise<Seen<TableFacts>> {
  return lookAt(async () => {
    const { Table: table } = await dynamo.send(new DescribeTableCommand({ TableName }));
    if (table === undefined) return undefined;
    const types = new Map(table.AttributeDefinitions?.map((one) => [one.AttributeName, one.AttributeType]));
    return {
      name: table.TableName ?? TableName,
      arn: table.TableArn ?? '',
      keys: (table.KeySchema ?? []).map(({ AttributeName = '', KeyType = '' }) => ({
        name: AttributeName,
        kind: KeyType,
        type: types.get(AttributeName) ?? '',
      })),
      replicas: (table.Replicas ?? []).filter(({ RegionName }) => regionOf(table.TableArn) !== RegionName)
        .length,
      deletionProtection: table.DeletionProtectionEnabled === true,
      ttl: await lookAt(async () => {
        const { TimeToLiveDescription: ttl } = await dynamo.send(
          new DescribeTimeToLiveCommand({ TableName }),
        );
        const status = ttl?.TimeToLiveStatus;
        return { attribute: ttl?.AttributeName, enabled: status === 'ENABLED' || status === 'ENABLING' };
      }),
      restorable: await lookAt(async () => {
        const { ContinuousBackupsDescription: backups } = await dynamo.send(
          new DescribeContinuousBackupsCommand({ TableName }),
        );
        return backups?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus === 'ENABLED';
      }),
    };
  });
}

function regionOf(arn = ''): string | undefined {
  return arn.split(':')[3];
}
