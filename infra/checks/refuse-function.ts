import type { Duration } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { checkedScope } from '../../lib/arrive/row-key.ts';
import type { BundledFunctionProps } from '../bundled-function.ts';
import { known, knownSeconds } from './resolved.ts';

/** What a consumer and a receiver both take. */
export interface CommonProps extends BundledFunctionProps {
  readonly entry?: string;
  readonly function?: IFunction;
  readonly leaseSeconds?: number;
  readonly retention?: Duration;
  readonly metrics?: boolean;
  readonly scope?: string;
}

/** Why the props that every construct takes cannot work: each the value got and the value allowed. */
export function refuseCommon(props: CommonProps): string[] {
  return [
    ...refuseFunction(props),
    ...refuseEnvironmentNames(props),
    ...refuseLease(props),
    ...refuseLongRetention(props),
    ...refuseScope(props),
    ...refuseMetrics(props),
  ];
}

/** Props that say how to make a function; beside one that is given ready-made they would be lost in silence. */
const functionProps = [
  'handler',
  'timeout',
  'memorySize',
  'environment',
  'reservedConcurrentExecutions',
  'logRetention',
  'bundling',
] as const;

function refuseFunction(props: CommonProps): string[] {
  if (props.entry === undefined && props.function === undefined) {
    return [
      'neither entry nor function is given; give one: entry is the file with the handler, function is one of your own',
    ];
  }
  if (props.function === undefined) return [];
  if (props.entry !== undefined) return ['entry and function are both given; give one'];
  return functionProps
    .filter((name) => props[name] !== undefined)
    .map((name) => `${name} is given beside function; set it where that function is made`);
}

function refuseEnvironmentNames({ environment = {} }: CommonProps): string[] {
  return Object.keys(environment)
    .filter((name) => name.startsWith('SQS_ONCE_'))
    .map(
      (name) =>
        `environment sets ${name}; leave it out: variables that begin with SQS_ONCE_ are set by the construct`,
    );
}

function refuseLease(props: CommonProps): string[] {
  const leaseSeconds = known(props.leaseSeconds);
  if (leaseSeconds === undefined || (leaseSeconds >= 3 && leaseSeconds <= 43_200)) return [];
  return [
    `leaseSeconds is ${leaseSeconds}; give 3 to 43200, so that one late heartbeat does not lose the claim`,
  ];
}

const mostDays = 5 * 365;

function refuseLongRetention(props: CommonProps): string[] {
  const seconds = knownSeconds(props.retention);
  if (seconds === undefined || seconds <= mostDays * 86_400) return [];
  return [
    `retention is ${seconds} s; give at most ${mostDays * 86_400} s, 5 years: rows are kept to be forgotten`,
  ];
}

function refuseScope(props: CommonProps): string[] {
  const scope = known(props.scope);
  if (scope === undefined) return [];
  try {
    checkedScope(scope);
    return [];
  } catch (error) {
    return [(error as Error).message];
  }
}

function refuseMetrics(props: CommonProps): string[] {
  if (props.metrics !== true || props.scope !== undefined) return [];
  return ['metrics is true without scope; give the scope the handler uses: its metrics carry that name'];
}
