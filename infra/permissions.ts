import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { AnyTable } from './checks/refuse-table.ts';
import type { IClaimTable } from './claim-table.ts';

/** Sending and nothing else, the key of an encrypted queue included. */
export function grantSend(queue: IQueue, grantee: IGrantable): Grant {
  queue.encryptionMasterKey?.grant(grantee, 'kms:Decrypt', 'kms:GenerateDataKey');
  return queue.grant(grantee, 'sqs:SendMessage');
}

/** Everything `attempt.transaction` can write. TransactWriteItems is allowed by the actions of its parts. */
export function grantCommit(table: AnyTable, grantee: IGrantable): Grant {
  table.encryptionKey?.grant(grantee, ...tableKeyActions);
  return Grant.addToPrincipal({
    grantee,
    actions: [
      'dynamodb:PutItem',
      'dynamodb:UpdateItem',
      'dynamodb:DeleteItem',
      'dynamodb:ConditionCheckItem',
    ],
    resourceArns: [table.tableArn],
  });
}

/** Everything `sqs-once dlq` does: look at parked messages beside their claims, send them back, drop them. */
export function grantRedrive(
  consumer: { readonly queue: IQueue; readonly deadLetterQueue: IQueue; readonly claimTable: IClaimTable },
  grantee: IGrantable,
): Grant {
  const { queue, deadLetterQueue, claimTable } = consumer;
  deadLetterQueue.encryptionMasterKey?.grant(grantee, 'kms:Decrypt');
  return deadLetterQueue
    .grant(
      grantee,
      'sqs:ReceiveMessage',
      'sqs:DeleteMessage',
      'sqs:ChangeMessageVisibility',
      'sqs:GetQueueUrl',
      'sqs:GetQueueAttributes',
      'sqs:ListDeadLetterSourceQueues',
    )
    .combine(queue.grant(grantee, 'sqs:GetQueueUrl'))
    .combine(grantSend(queue, grantee))
    .combine(claimTable.grantRead(grantee));
}

/** What DynamoDB asks of whoever reads and writes a table under a key of yours, spelled out. */
export const tableKeyActions = [
  'kms:Decrypt',
  'kms:DescribeKey',
  'kms:Encrypt',
  'kms:GenerateDataKey',
  'kms:GenerateDataKeyWithoutPlaintext',
  'kms:ReEncryptFrom',
  'kms:ReEncryptTo',
];
