import { type CfnResource, type Duration, Stack, Token } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/**
 * The CloudFormation resource under a construct, if it is one we can see. Checks read it and not the props,
 * because aspects, mixins, property injectors and escape hatches change resources after their props were given.
 */
export function resourceOf<Resource extends CfnResource>(
  construct: IConstruct,
  isIt: (child: IConstruct) => child is Resource,
): Resource | undefined {
  const child = construct.node.defaultChild;
  return child !== undefined && isIt(child) ? child : undefined;
}

/** A number, or undefined where CloudFormation will only know it later. */
export function knownNumber(within: IConstruct, value: unknown): number | undefined {
  const resolved: unknown = Stack.of(within).resolve(value);
  return typeof resolved === 'number' ? resolved : undefined;
}

/** A prop's value, or undefined where it is a token. */
export function known<Value extends number | string>(value: Value | undefined): Value | undefined {
  return Token.isUnresolved(value) ? undefined : value;
}

/** A prop's seconds, or undefined where it is a token. */
export function knownSeconds(duration: Duration | undefined): number | undefined {
  return duration === undefined || duration.isUnresolved() ? undefined : duration.toSeconds();
}
