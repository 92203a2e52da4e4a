import { resolve } from 'node:path';
import { Duration } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Runtime } from 'aws-cdk-lib/aws-lambda';
import { type BundlingOptions, NodejsFunction, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';

/** The function, where it is made from `entry`. */
export interface BundledFunctionProps {
  /**
   * The name of the exported handler.
   * @default 'handler'
   */
  readonly handler?: string;
  /**
   * How long one call may take.
   * @default Duration.seconds(30)
   */
  readonly timeout?: Duration;
  /**
   * Megabytes of memory. Lambda gives processor time in proportion.
   * @default 512
   */
  readonly memorySize?: number;
  /**
   * Environment variables of your own. Names that begin with `SQS_ONCE_` are set here.
   * @default - none
   */
  readonly environment?: Readonly<Record<string, string>>;
  /**
   * Calls kept free for this function, and at the same time the most it may have.
   * @default - none
   */
  readonly reservedConcurrentExecutions?: number;
  /**
   * How long the function's logs are kept.
   * @default RetentionDays.THREE_MONTHS, longer than any claim, so a duplicate's first run can be read up
   */
  readonly logRetention?: RetentionDays;
  /**
   * Options for esbuild, over ours.
   * @default - an ES module for Node 24, not minified; the SDK comes with Lambda's runtime
   */
  readonly bundling?: BundlingOptions;
}

export const functionDefaults = { timeout: Duration.seconds(30), memorySize: 512 };

/** Packages bundled from CommonJS may still call `require` for Node's own modules. */
const requireForCommonJs =
  "import { createRequire as createRequireForBundle } from 'node:module';" +
  'const require = createRequireForBundle(import.meta.url);';

/** A function bundled from a TypeScript file, with a role that may write its own log and nothing more. */
export function bundledFunction(
  scope: Construct,
  id: string,
  entry: string,
  props: BundledFunctionProps,
): NodejsFunction {
  const logGroup = new LogGroup(scope, `${id}Logs`, {
    retention: props.logRetention ?? RetentionDays.THREE_MONTHS,
  });
  const role = new Role(scope, `${id}Role`, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
  logGroup.grantWrite(role);
  return new NodejsFunction(scope, id, {
    entry: resolve(entry),
    handler: props.handler ?? 'handler',
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    timeout: props.timeout ?? functionDefaults.timeout,
    memorySize: props.memorySize ?? functionDefaults.memorySize,
    environment: { ...props.environment },
    role,
    logGroup,
    ...(props.reservedConcurrentExecutions !== undefined && {
      reservedConcurrentExecutions: props.reservedConcurrentExecutions,
    }),
    bundling: {
      format: OutputFormat.ESM,
      target: 'node24',
      mainFields: ['module', 'main'],
      banner: requireForCommonJs,
      ...props.bundling,
    },
  });
}
