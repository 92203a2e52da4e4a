import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { ClaimTable, IdempotentConsumer } from 'sqs-once/infra';

const stack = new Stack(new App(), 'Shop');
const fn = new LambdaFunction(stack, 'Fn', {
  runtime: Runtime.NODEJS_24_X,
  handler: 'index.handler',
  code: Code.fromInline('exports.handler = async () => {};'),
});
new IdempotentConsumer(stack, 'Payments', { function: fn, claimTable: new ClaimTable(stack, 'Claims') });

const mappings = Template.fromStack(stack).findResources('AWS::Lambda::EventSourceMapping');
console.log(
  JSON.stringify(Object.values(mappings).map((mapping) => mapping.Properties.FunctionResponseTypes)),
);
