import { App } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { ShopStack } from '../../infra/shop-stack.ts';
import { statementsOf } from './stack.ts';

let stack: ShopStack;
let template: Template;

beforeAll(() => {
  const app = new App({ context: { 'aws:cdk:bundling-stacks': [] } });
  stack = new ShopStack(app, 'Example', { gatewayUrl: 'https://payments.example.com' });
  template = Template.fromStack(stack);
});

const commit = [
  'dynamodb:ConditionCheckItem',
  'dynamodb:DeleteItem',
  'dynamodb:PutItem',
  'dynamodb:UpdateItem',
];

describe('the example', () => {
  it('is three consumers and a webhook over one claim table', () => {
    template.resourceCountIs('AWS::Lambda::EventSourceMapping', 3);
    template.resourcePropertiesCountIs(
      'AWS::Lambda::Function',
      { Environment: { Variables: { SQS_ONCE_TABLE: { Ref: Match.stringLikeRegexp('^ClaimsTable') } } } },
      4,
    );
  });

  it('runs on Node 24 and Graviton', () => {
    template.allResourcesProperties('AWS::Lambda::Function', {
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
    });
  });

  it('lets the payment consumer write captures and balances and tell of it, and no more', () => {
    const [, ...more] = statementsOf(template, /CapturePayment/);
    expect(more.map(([resource]) => resource)).toEqual([
      'CapturePaymentQueue',
      'ClaimsTable',
      'CapturePaymentDeadLetterQueue',
      'Captures',
      'Balances',
      'PaymentEventsQueue',
    ]);
    expect(more.at(-3)).toEqual(['Captures', commit]);
    expect(more.at(-1)).toEqual(['PaymentEventsQueue', ['sqs:SendMessage']]);
  });

  it('lets the webhook claim and tell of it, and no more', () => {
    const [, ...more] = statementsOf(template, /CarrierReceiver/);
    expect(more.map(([resource]) => resource)).toEqual(['ClaimsTable', 'CarrierParcelEvents']);
  });

  it('lets each function write its own log and nothing else of CloudWatch', () => {
    for (const consumer of ['CapturePayment', 'PaymentEvents', 'SendReceipt', 'CarrierReceiver']) {
      const [log] = statementsOf(template, new RegExp(consumer));
      expect(log).toEqual([`${consumer}FunctionLogs`, ['logs:CreateLogStream', 'logs:PutLogEvents']]);
    }
  });

  it('uses no managed policy and no wildcard', () => {
    template.allResourcesProperties('AWS::IAM::Role', { ManagedPolicyArns: Match.absent() });
    expect(statementsOf(template).map(String).join()).not.toContain('*');
  });

  it('tells its alarms to whoever is on call', () => {
    template.allResourcesProperties('AWS::CloudWatch::Alarm', {
      AlarmActions: [{ Ref: Match.stringLikeRegexp('^OnCall') }],
    });
  });

  it('passes the settings of the event consumer on, where its code says the same', () => {
    template.hasResourceProperties('AWS::Lambda::Function', {
      Environment: { Variables: { SQS_ONCE_CLAIM: 'with-commit', SQS_ONCE_MAX_ATTEMPTS: '10' } },
    });
  });

  it('synthesizes without a warning: the one there is was thought about', () => {
    expect(Annotations.fromStack(stack).findWarning('*', Match.stringLikeRegexp('sqs-once'))).toEqual([]);
  });
});
