import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { consumeOnce, dynamoClaims } from 'sqs-once';
import { sqsEvent, startLocalAws } from 'sqs-once/testing';

const aws = await startLocalAws();
const tableName = await aws.createClaimTable();
const { queueUrl } = await aws.createQueuePair({ name: 'orders' });
const claims = dynamoClaims({ client: aws.dynamo(), tableName });
const handler = consumeOnce(
  { scope: 'test', claims, sqs: aws.sqs(), queueUrl, partialResponses: true },
  () => {},
);
await handler(sqsEvent([{ body: {} }]));
const { Count: rows } = await aws.dynamo().send(new ScanCommand({ TableName: tableName }));
await aws.stop();
console.log(JSON.stringify({ rows }));
