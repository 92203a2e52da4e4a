import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { IAMClient } from '@aws-sdk/client-iam';
import { LambdaClient } from '@aws-sdk/client-lambda';
import type { Clients } from '../doctor/clients.ts';
import { sqsClient } from './clients.ts';

/** Clients as the environment says. */
export function awsClients(): Clients {
  return {
    sqs: sqsClient(),
    dynamo: new DynamoDBClient({}),
    lambda: new LambdaClient({}),
    cloudWatch: new CloudWatchClient({}),
    iam: new IAMClient({}),
    cloudFormation: new CloudFormationClient({}),
  };
}
