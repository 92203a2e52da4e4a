import type { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import type { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { IAMClient } from '@aws-sdk/client-iam';
import type { LambdaClient } from '@aws-sdk/client-lambda';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { Seen } from './facts.ts';

/** What the doctor asks. It only ever reads. */
export interface Clients {
  readonly sqs: Pick<SQSClient, 'send'>;
  readonly dynamo: Pick<DynamoDBClient, 'send'>;
  readonly lambda: Pick<LambdaClient, 'send'>;
  readonly cloudWatch: Pick<CloudWatchClient, 'send'>;
  readonly iam: Pick<IAMClient, 'send'>;
  readonly cloudFormation: Pick<CloudFormationClient, 'send'>;
}

/** How AWS's services say that something is not there. */
const absences = [
  'ResourceNotFoundException',
  'QueueDoesNotExist',
  'AWS.SimpleQueueService.NonExistentQueue',
  'NoSuchEntityException',
];

/** Looks at a part. That it may not be seen is an answer too, and the others are still looked at. */
export async function lookAt<Part>(ask: () => Promise<Part | undefined>): Promise<Seen<Part>> {
  try {
    const part = await ask();
    return part === undefined ? { status: 'missing' } : { status: 'seen', part };
  } catch (error) {
    const { name, message } = error as Error;
    return absences.includes(name) ? { status: 'missing' } : { status: 'unseen', why: `${name}: ${message}` };
  }
}
