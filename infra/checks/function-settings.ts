import { Stack } from 'aws-cdk-lib';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import { knownNumber, resourceOf } from './resolved.ts';

/** What a function is set to once everything that changes it has run; undefined where a token hides it. */
export interface FunctionSettings {
  readonly timeoutSeconds: number | undefined;
  readonly reservedConcurrentExecutions: number | undefined;
  readonly environment: Readonly<Record<string, unknown>>;
}

/** The longest a function may run: what is assumed where its timeout cannot be seen. */
export const longestFunctionTimeoutSeconds = 900;

/** Lambda's own default, for what a template leaves out. */
const lambdaTimeoutSeconds = 3;

/** The function itself behind an alias or a version, or undefined for one outside this app. */
export function functionBehind(fn: lambda.IFunction): lambda.Function | undefined {
  if (fn instanceof lambda.Alias) return functionBehind(fn.version.lambda);
  if (fn instanceof lambda.Version) return functionBehind(fn.lambda);
  return fn instanceof lambda.Function ? fn : undefined;
}

export function functionSettings(fn: lambda.IFunction): FunctionSettings | undefined {
  const behind = functionBehind(fn);
  const resource = behind && resourceOf(behind, lambda.CfnFunction.isCfnFunction);
  if (resource === undefined) return undefined;
  return {
    timeoutSeconds:
      resource.timeout === undefined ? lambdaTimeoutSeconds : knownNumber(resource, resource.timeout),
    reservedConcurrentExecutions: knownNumber(resource, resource.reservedConcurrentExecutions),
    environment: variablesOf(Stack.of(resource).resolve(resource.environment)),
  };
}

function variablesOf(environment: unknown): Readonly<Record<string, unknown>> {
  if (typeof environment !== 'object' || environment === null || !('variables' in environment)) return {};
  const { variables } = environment;
  return typeof variables === 'object' && variables !== null ? { ...variables } : {};
}
