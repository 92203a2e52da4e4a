import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { type Clients, detail, lookAt } from './clients.ts';
import type { Seen, TableFacts } from './facts.ts';

/** The claim table by its name or ARN. */
export function lookAtTable({ dynamo }: Clients, TableName: string): Promise<Seen<TableFacts>> {
  return lookAt(async () => {
    const { Table: table } = await dynamo.send(new DescribeTableCommand({ TableName }));
    if (table === undefined) return undefined;
    const ttl = await detail(() => dynamo.send(new DescribeTimeToLiveCommand({ TableName })));
    const backups = await detail(() => dynamo.send(new DescribeContinuousBackupsCommand({ TableName })));
    const types = new Map(table.AttributeDefinitions?.map((one) => [one.AttributeName, one.AttributeType]));
    const recovery = backups?.ContinuousBackupsDescription?.PointInTimeRecoveryDescription;
    const ttlStatus = ttl?.TimeToLiveDescription?.TimeToLiveStatus;
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
      ttl:
        ttl === undefined
          ? undefined
          : {
              attribute: ttl.TimeToLiveDescription?.AttributeName,
              enabled: ttlStatus === 'ENABLED' || ttlStatus === 'ENABLING',
            },
      restorable: backups === undefined ? undefined : recovery?.PointInTimeRecoveryStatus === 'ENABLED',
    };
  });
}

function regionOf(arn = ''): string | undefined {
  return arn.split(':')[3];
}
