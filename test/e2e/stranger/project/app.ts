import { App, Stack } from 'aws-cdk-lib';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { IdempotentConsumer } from 'sqs-once/infra';

const app = new App({ outdir: 'cdk.out' });
const stack = new Stack(app, 'Mail');
const surveys = new Queue(stack, 'Surveys');
const welcome = new IdempotentConsumer(stack, 'Welcome', {
  entry: 'handlers/welcome.ts',
  fifo: true,
  environment: { SURVEYS_QUEUE_URL: surveys.queueUrl },
});
welcome.grantFollowUps(surveys);
app.synth();
