import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';

/** A queue whose function names its failures under a key that AWS does not know; nothing of the product is in it. */
export function misnamingQueue(scope: Construct): Queue {
  const queue = new Queue(scope, 'Misnaming');
  const fn = new LambdaFunction(scope, 'Misnames', {
    runtime: Runtime.NODEJS_24_X,
    handler: 'index.handler',
    code: Code.fromInline(
      'exports.handler = async ({ Records }) => ({ failures: Records.map(({ messageId }) => ({ itemIdentifier: messageId })) });',
    ),
  });
  fn.addEventSource(new SqsEventSource(queue, { reportBatchItemFailures: true }));
  return queue;
}
