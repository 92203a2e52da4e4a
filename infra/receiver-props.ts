import type { Duration } from 'aws-cdk-lib';
import type { HttpApi, HttpMethod, IHttpApi, IHttpRouteAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2';
import type { FunctionUrlAuthType, IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { BundledFunctionProps } from './bundled-function.ts';
import type { IClaimTable } from './claim-table.ts';

/** A route of an HTTP API of yours. */
export interface ReceiverRoute {
  readonly httpApi: IHttpApi | HttpApi;
  /** The route's path, as in `/webhooks/payments`. */
  readonly path: string;
  /**
   * The route's methods.
   * @default [HttpMethod.ANY]
   */
  readonly methods?: readonly HttpMethod[];
  /**
   * Who is let through.
   * @default - the API's own default authorizer
   */
  readonly authorizer?: IHttpRouteAuthorizer;
}

/** What `IdempotentReceiver` takes. Either `entry` or `function`; all else has a default. */
export interface IdempotentReceiverProps extends BundledFunctionProps {
  /**
   * The file with the handler, bundled by esbuild; relative to the directory the app runs in.
   * @default - `function` is used
   */
  readonly entry?: string;
  /**
   * A function of your own.
   * @default - made from `entry`
   */
  readonly function?: IFunction;
  /**
   * How long one call may take; behind a route at most 29 seconds.
   * @default Duration.seconds(25), less than an HTTP API waits
   */
  readonly timeout?: Duration;
  /**
   * A claim table shared with others, or `ClaimTable.fromTable` of your own.
   * @default - made here
   */
  readonly claimTable?: IClaimTable;
  /**
   * A route of an HTTP API to answer on.
   * @default - a function URL
   */
  readonly route?: ReceiverRoute;
  /**
   * Who may call the function URL. Webhooks whose handler checks a signature want `NONE`.
   * @default FunctionUrlAuthType.AWS_IAM
   */
  readonly urlAuthType?: FunctionUrlAuthType;
  /**
   * How long answers are replayed.
   * @default Duration.hours(24)
   */
  readonly retention?: Duration;
  /**
   * The length of a lease in seconds, at least 3; renewed while the handler runs.
   * @default - the invocation's remaining time + 1 s
   */
  readonly leaseSeconds?: number;
  /**
   * Whether the handler publishes metrics (`emitMetrics()`): adds the alarms that read them.
   * @default false
   */
  readonly metrics?: boolean;
  /**
   * The scope the handler's receiver uses; needed with `metrics`, whose `Scope` dimension it is.
   * @default - none
   */
  readonly scope?: string;
  /**
   * Who is told when an alarm goes off.
   * @default - nobody: alarms only show
   */
  readonly alarmTopic?: ITopic;
}
