import { Duration } from 'aws-cdk-lib';
import { HttpMethod, HttpRoute, HttpRouteKey } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import type { Metric, MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import type { Grant } from 'aws-cdk-lib/aws-iam';
import { FunctionUrlAuthType, type IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { ConfigurationError } from '../lib/errors.ts';
import { bundledFunction } from './bundled-function.ts';
import { refuseReceiverProps, refuseSlowRoute } from './checks/refuse-receiver.ts';
import type { AnyTable } from './checks/refuse-table.ts';
import { ClaimTable, type IClaimTable } from './claim-table.ts';
import {
  asText,
  type Environment,
  refuseBroughtVariables,
  refuseEnvironment,
  setEnvironment,
} from './environment.ts';
import { type ConsumerMetric, metricOf } from './metrics.ts';
import { grantCommit, grantSend } from './permissions.ts';
import { ReceiverAlarms } from './receiver-alarms.ts';
import type { IdempotentReceiverProps, ReceiverRoute } from './receiver-props.ts';

/**
 * An HTTP endpoint that does what it is asked once per `Idempotency-Key`: function, claim table, a function
 * URL or a route of your HTTP API, rights and alarms.
 *
 * @throws ConfigurationError when the props contradict each other.
 * @example
 * ```ts
 * new IdempotentReceiver(this, 'Webhook', {
 *   entry: 'handlers/webhook.ts',
 *   route: { httpApi, path: '/webhooks/payments', methods: [HttpMethod.POST] },
 * });
 * ```
 */
export class IdempotentReceiver extends Construct {
  readonly claimTable: IClaimTable;
  readonly function: IFunction;
  readonly alarms: ReceiverAlarms;
  /** The function URL; absent behind a route. */
  readonly url: string | undefined;
  private readonly metricsScope: string | undefined;

  constructor(scope: Construct, id: string, props: IdempotentReceiverProps) {
    super(scope, id);
    const refusals = refuseReceiverProps(props);
    if (refusals.length > 0) throw new ConfigurationError(`[${this.node.path}] ${refusals.join('\n')}`);

    this.metricsScope = props.metrics === true ? props.scope : undefined;
    this.claimTable = props.claimTable ?? new ClaimTable(this, 'Claims');
    this.function = props.function ?? this.made(props);
    const environment = this.environmentOf(props);
    setEnvironment(this.function, environment);
    if (this.function.role !== undefined) this.claimTable.grantClaims(this.function);
    this.url = props.route ? this.answerOn(props.route) : this.answerOnUrl(props);
    this.alarms = new ReceiverAlarms(this, 'Alarms', {
      function: this.function,
      claimTable: this.claimTable,
      ...this.measured(),
      ...(props.alarmTopic && { topic: props.alarmTopic }),
    });
    this.node.addValidation({
      validate: () => [
        ...refuseSlowRoute(this.function, props),
        ...refuseEnvironment(this.function, environment),
        ...refuseBroughtVariables(this.function, { SQS_ONCE_LEASE_SECONDS: 'leaseSeconds' }),
      ],
    });
  }

  /** Lets the handler send follow-ups to a queue (`attempt.followUps`). */
  grantFollowUps(queue: IQueue): Grant {
    return grantSend(queue, this.function);
  }

  /** Lets the handler write to a table of yours in the claim's transaction (`attempt.transaction`). */
  grantCommit(table: AnyTable): Grant {
    return grantCommit(table, this.function);
  }

  /**
   * One of the metrics `emitMetrics()` publishes; by default the sum over five minutes.
   *
   * @throws ConfigurationError without `metrics: true` and `scope`.
   */
  metric(name: ConsumerMetric, options?: MetricOptions): Metric {
    return metricOf({ function: this.function, ...this.measured() }, name, options);
  }

  private measured() {
    return this.metricsScope === undefined ? {} : { metricsScope: this.metricsScope };
  }

  private made(props: IdempotentReceiverProps): IFunction {
    const timeout = props.timeout ?? Duration.seconds(25);
    return bundledFunction(this, 'Function', props.entry ?? '', { ...props, timeout });
  }

  private environmentOf(props: IdempotentReceiverProps): Environment {
    const retention = props.retention ?? Duration.hours(24);
    return {
      SQS_ONCE_TABLE: this.claimTable.table.tableName,
      SQS_ONCE_RETENTION_SECONDS: asText(retention.toSeconds()),
      ...(props.leaseSeconds !== undefined && { SQS_ONCE_LEASE_SECONDS: asText(props.leaseSeconds) }),
    };
  }

  private answerOn(route: ReceiverRoute): undefined {
    const integration = new HttpLambdaIntegration('Integration', this.function);
    for (const method of route.methods ?? [HttpMethod.ANY]) {
      new HttpRoute(this, `Route${method}`, {
        httpApi: route.httpApi,
        routeKey: HttpRouteKey.with(route.path, method),
        integration,
        ...(route.authorizer && { authorizer: route.authorizer }),
      });
    }
  }

  private answerOnUrl(props: IdempotentReceiverProps): string {
    const authType = props.urlAuthType ?? FunctionUrlAuthType.AWS_IAM;
    return this.function.addFunctionUrl({ authType }).url;
  }
}
