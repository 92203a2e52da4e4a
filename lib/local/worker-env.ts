import type { HandlerFile } from './handler-file.ts';
import type { InvocationContext } from './protocol.ts';

/**
 * Of the parent's environment these stay out: each would make a handler's clients use the person's own
 * AWS account, or leave the local endpoints unused.
 */
const keptOut = [
  'AWS_PROFILE',
  'AWS_SESSION_TOKEN',
  'AWS_CREDENTIAL_EXPIRATION',
  'AWS_CREDENTIAL_SCOPE',
  'AWS_IGNORE_CONFIGURED_ENDPOINT_URLS',
];

/** Memory a function has where nobody says otherwise. Told to the handler, not enforced. */
const memoryMegabytes = '128';

/** What Lambda tells a function about itself, the same in its environment and in each context. */
export type FunctionIdentity = Omit<InvocationContext, 'awsRequestId'> & { readonly handler: string };

export function identify(handler: HandlerFile, region: string, sandbox: string): FunctionIdentity {
  const { functionName } = handler;
  const day = new Date().toISOString().slice(0, 10).replaceAll('-', '/');
  return {
    functionName,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:${region}:000000000000:function:${functionName}`,
    memoryLimitInMB: memoryMegabytes,
    logGroupName: `/aws/lambda/${functionName}`,
    logStreamName: `${day}/[$LATEST]${sandbox}`,
    handler: `${functionName}.${handler.exportName}`,
  };
}

/**
 * A worker's environment, later ones winning:
 *
 * 1. the parent's, without what is {@link keptOut};
 * 2. what Lambda sets and code commonly reads: `AWS_REGION`, `AWS_LAMBDA_FUNCTION_NAME`, `…_VERSION`,
 *    `…_MEMORY_SIZE`, `AWS_LAMBDA_LOG_GROUP_NAME`, `AWS_LAMBDA_LOG_STREAM_NAME` and `_HANDLER`;
 * 3. what the runner's caller gives.
 */
export function workerEnvironment(
  identity: FunctionIdentity,
  region: string,
  env: Readonly<Record<string, string>>,
): NodeJS.ProcessEnv {
  const parents = Object.entries(process.env).filter(([name]) => !keptOut.includes(name));
  return {
    ...Object.fromEntries(parents),
    AWS_REGION: region,
    AWS_LAMBDA_FUNCTION_NAME: identity.functionName,
    AWS_LAMBDA_FUNCTION_VERSION: identity.functionVersion,
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: identity.memoryLimitInMB,
    AWS_LAMBDA_LOG_GROUP_NAME: identity.logGroupName,
    AWS_LAMBDA_LOG_STREAM_NAME: identity.logStreamName,
    _HANDLER: identity.handler,
    ...env,
  };
}
