import type { Stack } from 'aws-cdk-lib';
import { CfnParameter, Duration } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { HttpApi, HttpMethod } from 'aws-cdk-lib/aws-apigatewayv2';
import { AttributeType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { type FunctionProps, FunctionUrlAuthType } from 'aws-cdk-lib/aws-lambda';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { describe, expect, it } from 'vitest';
import { ClaimTable, IdempotentReceiver, type IdempotentReceiverProps } from '../../infra/index.ts';
import { inlineFunction, newStack, refusal, statementsOf } from './stack.ts';

function receiverIn(
  stack: Stack,
  props: IdempotentReceiverProps = {},
  functionProps: Partial<FunctionProps> = {},
): IdempotentReceiver {
  return new IdempotentReceiver(stack, 'Webhook', {
    function: inlineFunction(stack, functionProps),
    ...props,
  });
}

function receiverTemplate(props: (stack: Stack) => IdempotentReceiverProps = () => ({})): Template {
  const stack = newStack();
  receiverIn(stack, props(stack));
  return Template.fromStack(stack);
}

const claim = ['dynamodb:ConditionCheckItem', 'dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'];

describe('a receiver', () => {
  it('knows its table and replays answers for a day', () => {
    receiverTemplate().hasResourceProperties('AWS::Lambda::Function', {
      Environment: {
        Variables: {
          SQS_ONCE_TABLE: { Ref: Match.stringLikeRegexp('^WebhookClaims') },
          SQS_ONCE_RETENTION_SECONDS: '86400',
        },
      },
    });
  });

  it('replays for as long as you say, under a lease you set', () => {
    const template = receiverTemplate(() => ({ retention: Duration.days(7), leaseSeconds: 20 }));
    template.hasResourceProperties('AWS::Lambda::Function', {
      Environment: { Variables: { SQS_ONCE_RETENTION_SECONDS: '604800', SQS_ONCE_LEASE_SECONDS: '20' } },
    });
  });

  it('answers on a function URL that only signed callers reach, unless told otherwise', () => {
    receiverTemplate().hasResourceProperties('AWS::Lambda::Url', { AuthType: 'AWS_IAM' });
    const open = receiverTemplate(() => ({ urlAuthType: FunctionUrlAuthType.NONE }));
    open.hasResourceProperties('AWS::Lambda::Url', { AuthType: 'NONE' });
  });

  it('answers on a route of your API, and has no URL then', () => {
    const stack = newStack();
    const httpApi = new HttpApi(stack, 'Api');
    const methods = [HttpMethod.POST, HttpMethod.PATCH];
    const receiver = receiverIn(stack, { route: { httpApi, path: '/webhooks/payments', methods } });
    expect(receiver.url).toBeUndefined();
    const template = Template.fromStack(stack);
    template.resourceCountIs('AWS::Lambda::Url', 0);
    for (const method of methods) {
      template.hasResourceProperties('AWS::ApiGatewayV2::Route', {
        RouteKey: `${method} /webhooks/payments`,
      });
    }
  });

  it('takes any method of a route where none is named', () => {
    const template = receiverTemplate((stack) => ({
      route: { httpApi: new HttpApi(stack, 'Api'), path: '/' },
    }));
    template.hasResourceProperties('AWS::ApiGatewayV2::Route', { RouteKey: 'ANY /' });
  });
});

describe("the receiver's function may", () => {
  it('claim, and nothing else', () => {
    expect(statementsOf(receiverTemplate())).toEqual([['WebhookClaimsTable', claim]]);
  });

  it('send follow-ups and commit where it is granted', () => {
    const stack = newStack();
    const receiver = receiverIn(stack, { claimTable: new ClaimTable(stack, 'Shared') });
    receiver.grantFollowUps(new Queue(stack, 'Receipts'));
    const partitionKey = { name: 'orderId', type: AttributeType.STRING };
    receiver.grantCommit(new TableV2(stack, 'Orders', { partitionKey }));
    expect(statementsOf(Template.fromStack(stack))).toEqual([
      ['SharedTable', claim],
      ['Receipts', ['sqs:SendMessage']],
      [
        'Orders',
        ['dynamodb:ConditionCheckItem', 'dynamodb:DeleteItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'],
      ],
    ]);
  });
});

describe("the receiver's alarms", () => {
  it('see failing calls and a table that refuses', () => {
    const template = receiverTemplate((stack) => ({ alarmTopic: new Topic(stack, 'OnCall') }));
    for (const MetricName of ['Errors', 'WriteThrottleEvents']) {
      template.hasResourceProperties('AWS::CloudWatch::Alarm', {
        MetricName,
        AlarmActions: Match.anyValue(),
      });
    }
    template.resourceCountIs('AWS::CloudWatch::Alarm', 2);
  });

  it('see lost leases and lost answers once the handler measures', () => {
    const template = receiverTemplate(() => ({ metrics: true, scope: 'payment-webhook' }));
    for (const MetricName of ['FencedOut', 'OutcomeUnrecorded']) {
      template.hasResourceProperties('AWS::CloudWatch::Alarm', {
        Namespace: 'SqsOnce',
        MetricName,
        Dimensions: Match.arrayWith([{ Name: 'Scope', Value: 'payment-webhook' }]),
      });
    }
  });
});

describe('synth fails when', () => {
  it.each<[string, IdempotentReceiverProps, string]>([
    [
      'answers are forgotten within a lease',
      { retention: Duration.seconds(60), leaseSeconds: 60 },
      'retention is 60 s and leaseSeconds 60; keep answers longer than a lease',
    ],
    ['the lease is too short to renew', { leaseSeconds: 1 }, 'leaseSeconds is 1; give 3 to 43200'],
    ['metrics are wanted of a scope nobody names', { metrics: true }, 'metrics is true without scope'],
    ['the function is given and described', { memorySize: 256 }, 'memorySize is given beside function'],
  ])('%s', (_title, props, said) => {
    expect(refusal((stack) => receiverIn(stack, props))).toContain(said);
  });

  it('the function outlives the patience of an HTTP API', () => {
    const said = refusal((stack) => {
      const route = { httpApi: new HttpApi(stack, 'Api'), path: '/pay' };
      receiverIn(stack, { route }, { timeout: Duration.seconds(30) });
    });
    expect(said).toContain("the function's timeout is 30 s; give at most 29 s");
  });

  it('a URL is described and there is none', () => {
    const said = refusal((stack) => {
      const route = { httpApi: new HttpApi(stack, 'Api'), path: '/pay' };
      receiverIn(stack, { route, urlAuthType: FunctionUrlAuthType.NONE });
    });
    expect(said).toContain('urlAuthType is given beside route');
  });

  it('one function serves two tables', () => {
    const said = refusal((stack) => {
      const fn = inlineFunction(stack);
      new IdempotentReceiver(stack, 'First', { function: fn });
      const route = { httpApi: new HttpApi(stack, 'Api'), path: '/second' };
      new IdempotentReceiver(stack, 'Second', { function: fn, route });
    });
    expect(said).toContain("[Shop/First] the function's SQS_ONCE_TABLE is not what this construct set");
  });
});

describe('a number that only CloudFormation will know', () => {
  it('never crashes a check', () => {
    const stack = newStack();
    const later = (name: string): number => new CfnParameter(stack, name, { type: 'Number' }).valueAsNumber;
    const route = { httpApi: new HttpApi(stack, 'Api'), path: '/pay' };
    receiverIn(
      stack,
      { retention: Duration.seconds(later('Retention')), leaseSeconds: later('Lease'), route },
      { timeout: Duration.seconds(later('Timeout')) },
    );
    Template.fromStack(stack).hasResourceProperties('AWS::Lambda::Function', {
      Environment: {
        Variables: {
          SQS_ONCE_RETENTION_SECONDS: { Ref: 'Retention' },
          SQS_ONCE_LEASE_SECONDS: { Ref: 'Lease' },
        },
      },
    });
  });
});
