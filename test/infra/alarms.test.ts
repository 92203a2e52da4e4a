import { Duration } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { describe, expect, it } from 'vitest';
import { IdempotentConsumer, type IdempotentConsumerProps } from '../../infra/index.ts';
import { consumerIn, inlineFunction, newStack, refusal, templateOf } from './stack.ts';

const measured = { metrics: true, scope: 'capture-payment' };

type Properties = Readonly<Record<string, unknown>>;

/** The properties of the alarm with that id. */
function alarm(
  id: string,
  props: IdempotentConsumerProps = {},
  functionTimeout = Duration.seconds(30),
): Properties {
  const alarms = templateOf(props, { timeout: functionTimeout }).findResources('AWS::CloudWatch::Alarm');
  const name = Object.keys(alarms).find((logicalId) => logicalId.startsWith(`PaymentsAlarms${id}`));
  if (name === undefined) throw new Error(`no alarm ${id} among ${Object.keys(alarms)}`);
  return alarms[name]?.Properties;
}

const ref = (name: string) => ({ 'Fn::GetAtt': [expect.stringMatching(`^Payments${name}`), 'QueueName'] });

describe('the alarm for parked messages', () => {
  it('looks at what waits, since moves to a dead-letter queue do not count as sent', () => {
    expect(alarm('DeadLetters')).toMatchObject({
      Namespace: 'AWS/SQS',
      MetricName: 'ApproximateNumberOfMessagesVisible',
      Dimensions: [{ Name: 'QueueName', Value: ref('DeadLetterQueue') }],
      Statistic: 'Maximum',
      Threshold: 1,
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
    });
  });

  it('says what to run first', () => {
    expect(alarm('DeadLetters').AlarmDescription).toContain('Run `sqs-once dlq list` first');
  });
});

describe('the alarm for a stalled consumer', () => {
  it('wants an old message and no progress: age alone cries at every backoff', () => {
    expect(alarm('Stalled').Metrics).toEqual([
      expect.objectContaining({ Expression: 'IF(deleted < 1 AND age > 900, 1, 0)' }),
      expect.objectContaining({
        Id: 'deleted',
        MetricStat: expect.objectContaining({
          Metric: expect.objectContaining({ MetricName: 'NumberOfMessagesDeleted' }),
          Stat: 'Sum',
          Period: 900,
        }),
      }),
      expect.objectContaining({
        Id: 'age',
        MetricStat: expect.objectContaining({
          Metric: expect.objectContaining({ MetricName: 'ApproximateAgeOfOldestMessage' }),
          Stat: 'Maximum',
        }),
      }),
    ]);
  });

  it('waits longer than a failed message stays away', () => {
    // 6 × 10 minutes of visibility, and 5 minutes for its next try.
    const { Metrics } = alarm('Stalled', {}, Duration.minutes(10));
    expect(JSON.stringify(Metrics)).toContain('age > 3900');
  });

  it('waits as long as you say', () => {
    const { Metrics } = alarm('Stalled', { stalledAfter: Duration.hours(3) });
    expect(JSON.stringify(Metrics)).toContain('age > 10800');
  });
});

describe('the alarm for a crashing consumer', () => {
  it('shows a module that dies while loading, whose messages soon have no age', () => {
    const { Metrics } = alarm('Crashing');
    expect(JSON.stringify(Metrics)).toContain('IF(deleted < 1 AND errors > 0, 1, 0)');
    expect(JSON.stringify(Metrics)).toContain('"Namespace":"AWS/Lambda"');
  });
});

describe('the other alarms', () => {
  it('come before SQS hands out no more', () => {
    expect(alarm('InFlight')).toMatchObject({
      MetricName: 'ApproximateNumberOfMessagesNotVisible',
      Statistic: 'Maximum',
      Threshold: 100_000,
      Dimensions: [{ Value: ref('Queue') }],
    });
  });

  it('show claims that DynamoDB refuses', () => {
    expect(alarm('TableThrottled')).toMatchObject({
      Namespace: 'AWS/DynamoDB',
      MetricName: 'WriteThrottleEvents',
      Dimensions: [{ Name: 'TableName', Value: { Ref: expect.stringMatching('^PaymentsClaims') } }],
    });
  });

  it.each(['Parked', 'FencedOut', 'OutcomeUnrecorded', 'ParkFailed'])(
    'show %s once the handler measures',
    (name) => {
      expect(alarm(name, measured)).toMatchObject({
        Namespace: 'SqsOnce',
        MetricName: name,
        Dimensions: [
          { Name: 'FunctionName', Value: { Ref: expect.stringMatching('^Work') } },
          { Name: 'Scope', Value: 'capture-payment' },
        ],
        Threshold: 1,
        Statistic: 'Sum',
      });
    },
  );

  it('are not there for metrics nobody publishes', () => {
    templateOf().resourceCountIs('AWS::CloudWatch::Alarm', 5);
    templateOf(measured).resourceCountIs('AWS::CloudWatch::Alarm', 9);
  });
});

describe('every alarm', () => {
  it('goes off on the first bad value, and never for a value that does not come', () => {
    templateOf(measured).allResourcesProperties('AWS::CloudWatch::Alarm', {
      EvaluationPeriods: 1,
      TreatMissingData: 'notBreaching',
    });
  });

  it('says what to do', () => {
    templateOf(measured).allResourcesProperties('AWS::CloudWatch::Alarm', {
      AlarmDescription: Match.stringLikeRegexp('(Run|See|Read|Raise|Look) '),
    });
  });

  it('tells whom you name', () => {
    const stack = newStack();
    consumerIn(stack, { ...measured, alarmTopic: new Topic(stack, 'OnCall') });
    Template.fromStack(stack).allResourcesProperties('AWS::CloudWatch::Alarm', {
      AlarmActions: [{ Ref: Match.stringLikeRegexp('^OnCall') }],
    });
  });
});

describe('the dashboard', () => {
  function body(props: IdempotentConsumerProps): string {
    const [dashboard] = Object.values(templateOf(props).findResources('AWS::CloudWatch::Dashboard'));
    return JSON.stringify(dashboard?.Properties.DashboardBody).replaceAll('\\"', '"');
  }

  it('shows what came in, what became of it, what waits and what is wrong', () => {
    const shown = body(measured);
    for (const title of [
      'Alarms',
      'Came in',
      'Became of it',
      'Duplicates',
      'In flight',
      'Parked',
      'Oldest message',
    ]) {
      expect(shown).toContain(`"title":"${title}`);
    }
    for (const metric of ['Completed', 'Duplicate', 'InFlight', 'Parked', 'Takeover']) {
      expect(shown).toContain(`"SqsOnce","${metric}"`);
    }
  });

  it('says how to see duplicates where nobody measures them', () => {
    const shown = body({});
    expect(shown).toContain('emitMetrics()');
    expect(shown).not.toContain('"SqsOnce"');
  });

  it('is left out when told so', () => {
    templateOf({ dashboard: false }).resourceCountIs('AWS::CloudWatch::Dashboard', 0);
  });
});

describe('a metric of the consumer', () => {
  it('carries the function and the scope', () => {
    const stack = newStack();
    const metric = consumerIn(stack, measured).metric('Duplicate', { period: Duration.hours(1) });
    expect(metric).toMatchObject({ namespace: 'SqsOnce', metricName: 'Duplicate', statistic: 'Sum' });
    expect(metric.dimensions).toMatchObject({ Scope: 'capture-payment' });
    expect(metric.period.toHours()).toBe(1);
  });

  it('is refused where nobody publishes it', () => {
    expect(refusal((stack) => consumerIn(stack).metric('Duplicate'))).toContain(
      'metric is Duplicate, but metrics is off; give metrics: true and the scope the handler uses',
    );
  });

  it('bears the name of the function under an alias too, as the runtime publishes it', () => {
    const stack = newStack();
    const live = inlineFunction(stack).addAlias('live') as IFunction;
    const consumer = new IdempotentConsumer(stack, 'Payments', { function: live, ...measured });
    const { FunctionName } = consumer.metric('Duplicate').dimensions ?? {};
    expect(stack.resolve(FunctionName)).toEqual({ Ref: expect.stringMatching('^Work') });
  });
});
