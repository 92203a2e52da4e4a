import { App, Stack } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { Code, type FunctionProps, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { IdempotentConsumer, type IdempotentConsumerProps } from '../../infra/index.ts';

// CDK's own check of whole templates costs most of the time here; test/infra/nag.test.ts has it on.
process.env.CDK_VALIDATION = 'false';

export function newStack(): Stack {
  return new Stack(new App(), 'Shop', { env: { account: '111122223333', region: 'eu-north-1' } });
}

/** A function with nothing to bundle, because bundling is what makes such tests slow. */
export function inlineFunction(scope: Construct, props: Partial<FunctionProps> = {}): LambdaFunction {
  return new LambdaFunction(scope, 'Work', {
    runtime: Runtime.NODEJS_24_X,
    handler: 'index.handler',
    code: Code.fromInline('exports.handler = async () => {};'),
    ...props,
  });
}

/** A consumer over an inline function. */
export function consumerIn(
  stack: Stack,
  props: IdempotentConsumerProps = {},
  functionProps: Partial<FunctionProps> = {},
): IdempotentConsumer {
  return new IdempotentConsumer(stack, 'Payments', {
    function: inlineFunction(stack, functionProps),
    ...props,
  });
}

/** The template of a stack with one consumer. */
export function templateOf(
  props: IdempotentConsumerProps = {},
  functionProps: Partial<FunctionProps> = {},
): Template {
  const stack = newStack();
  consumerIn(stack, props, functionProps);
  return Template.fromStack(stack);
}

/** What is said when the stack is refused, while it is built or at synth. */
export function refusal(build: (stack: Stack) => unknown): string {
  const stack = newStack();
  try {
    build(stack);
    Template.fromStack(stack);
  } catch (error) {
    if (error instanceof Error) return error.message;
    throw error;
  }
  throw new Error('nothing was refused');
}

/** The warnings of ours that synth prints. */
export function warnings(build: (stack: Stack) => unknown): string[] {
  const stack = newStack();
  build(stack);
  return Annotations.fromStack(stack)
    .findWarning('*', Match.stringLikeRegexp('sqs-once:'))
    .map((warning) => String(warning.entry.data));
}

interface Statement {
  readonly Action: string | string[];
  readonly Effect: string;
  readonly Resource: unknown;
}

/** The statements of the function's own policy, actions sorted, resources as `Thing.Arn`. */
export function statementsOf(
  template: Template,
  role: RegExp = /Role/,
): [resource: string, actions: string[]][] {
  const policies = Object.values(template.findResources('AWS::IAM::Policy'));
  return policies
    .filter((policy) => role.test(JSON.stringify(policy.Properties.Roles)))
    .flatMap((policy): Statement[] => policy.Properties.PolicyDocument.Statement)
    .map(({ Action, Effect, Resource }) => {
      const actions = [Action].flat().sort();
      return [nameOf(Resource), Effect === 'Allow' ? actions : [Effect, ...actions]];
    });
}

function nameOf(resource: unknown): string {
  const text = JSON.stringify(resource);
  const logicalId = /"Fn::GetAtt":\["([A-Za-z0-9]+?)[0-9A-F]{8}","Arn"\]/.exec(text)?.[1];
  return logicalId ?? text;
}
