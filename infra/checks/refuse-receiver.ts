import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IdempotentReceiverProps } from '../receiver-props.ts';
import { functionSettings } from './function-settings.ts';
import { refuseCommon } from './refuse-function.ts';
import { refuseShapes } from './refuse-shapes.ts';
import { known, knownSeconds } from './resolved.ts';

/** Why these props cannot work, before anything is made from them: each the value got and the value allowed. */
export function refuseReceiverProps(props: IdempotentReceiverProps): string[] {
  const shapes = refuseShapes(props, ['timeout', 'retention']);
  if (shapes.length > 0) return shapes;
  return [...refuseCommon(props), ...refuseAnswers(props), ...refuseShortRetention(props)];
}

function refuseAnswers({ route, urlAuthType }: IdempotentReceiverProps): string[] {
  if (route === undefined || urlAuthType === undefined) return [];
  return ['urlAuthType is given beside route, but there is no function URL; set the authorizer of the route'];
}

function refuseShortRetention(props: IdempotentReceiverProps): string[] {
  const seconds = knownSeconds(props.retention);
  const leaseSeconds = known(props.leaseSeconds) ?? 0;
  if (seconds === undefined || seconds > leaseSeconds) return [];
  return [`retention is ${seconds} s and leaseSeconds ${leaseSeconds}; keep answers longer than a lease`];
}

/** How long an HTTP API waits for its function. */
export const routeTimeoutSeconds = 29;

/** Why a caller would be answered by the API while the function goes on. */
export function refuseSlowRoute(fn: IFunction, props: IdempotentReceiverProps): string[] {
  const timeoutSeconds = functionSettings(fn)?.timeoutSeconds;
  if (props.route === undefined || timeoutSeconds === undefined || timeoutSeconds <= routeTimeoutSeconds)
    return [];
  return [
    `the function's timeout is ${timeoutSeconds} s; give at most ${routeTimeoutSeconds} s: an HTTP API answers 503 by then, ` +
      'and the caller tries again while the function still runs',
  ];
}
