import { Lazy, Stack, Token, Tokenization } from 'aws-cdk-lib';
import type { IFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { functionBehind, functionSettings } from './checks/function-settings.ts';

/** What the runtime reads from its environment. */
export type Environment = Readonly<Record<`SQS_ONCE_${string}`, string>>;

/** A number that is only settled at synth, when nothing can change the queues any more; may be a token even then. */
export function atSynth(number: () => unknown): string {
  const produce = (): unknown => {
    const now = number();
    return typeof now === 'number' ? asText(now) : now;
  };
  return Token.asString(Lazy.uncachedAny({ produce }));
}

export function asText(number: number): string {
  return Tokenization.stringifyNumber(number);
}

/** What constructs of ours set on each function, to be told from what the function brought along. */
const setHere = new WeakMap<LambdaFunction, Set<string>>();

/** Sets the variables, where the function is part of this app. */
export function setEnvironment(fn: IFunction, environment: Environment): void {
  const behind = functionBehind(fn);
  if (behind === undefined) return;
  const names = setHere.get(behind) ?? new Set();
  setHere.set(behind, names);
  for (const [name, value] of Object.entries(environment)) {
    behind.addEnvironment(name, value);
    names.add(name);
  }
}

/**
 * Why the runtime would go by numbers that the construct never saw: the function brought them in variables of its
 * own, and the sums behind queues and retention were made without them.
 */
export function refuseBroughtVariables(
  fn: IFunction,
  props: Readonly<Record<`SQS_ONCE_${string}`, string>>,
): string[] {
  const behind = functionBehind(fn);
  const brought = functionSettings(fn)?.environment ?? {};
  if (behind === undefined) return [];
  return Object.entries(props)
    .filter(([name]) => brought[name] !== undefined && !setHere.get(behind)?.has(name))
    .map(
      ([name, prop]) =>
        `the function's environment sets ${name}; leave it out there and give the prop ${prop} here, so that what depends on it is reckoned with it`,
    );
}

/** Why the function would not find its own queue: somebody set the variables anew, most likely a second consumer. */
export function refuseEnvironment(fn: IFunction, environment: Environment): string[] {
  const behind = functionBehind(fn);
  const settings = functionSettings(fn);
  if (behind === undefined || settings === undefined) return [];
  // Resolved where the function lives: seen from another stack the same queue has another name.
  const expected = (value: string): string => JSON.stringify(Stack.of(behind).resolve(value));
  const foreign = Object.entries(environment)
    .filter(([name, value]) => JSON.stringify(settings.environment[name]) !== expected(value))
    .map(([name]) => name);
  if (foreign.length === 0) return [];
  return [
    `the function's ${foreign.join(', ')} is not what this construct set; give each its own ` +
      'function (made from the same entry if you like), because these variables name one queue and one table',
  ];
}
