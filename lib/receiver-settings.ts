import { METHODS } from 'node:http';
import { type JsonPointer, jsonPointer } from './arrive/json-pointer.ts';
import { isRefusedPromise } from './arrive/unheard.ts';
import { type EngineSettings, engineSettings } from './engine-settings.ts';
import { ConfigurationError } from './errors.ts';
import {
  type Environment,
  functionOr,
  type Options,
  objectOf,
  refuseUnknown,
  schemaOf,
  shown,
  whole,
} from './option-checks.ts';
import type { HttpReceiverOptions, ReceiverOptions } from './receiver-options.ts';

/** A receiver's options, checked, with their defaults filled in. */
export interface ReceiverSettings<Body> extends EngineSettings {
  readonly options: ReceiverOptions<Body>;
  readonly requireKey: boolean;
  readonly volatile: readonly JsonPointer[];
  readonly methods: ReadonlySet<string>;
  /** Never throws: whatever it says, the work is done. */
  readonly isRecorded: (status: number) => boolean;
}

const receiverOptionNames: readonly string[] = [
  'scope',
  'caller',
  'claims',
  'sqs',
  'key',
  'requireKey',
  'schema',
  'parse',
  'volatile',
  'methods',
  'record',
  'leaseSeconds',
  'retentionSeconds',
  'observers',
];

/** Checks a receiver's options against what is possible and against what the construct put into the environment. */
export function receiverSettings<Body>(
  options: ReceiverOptions<Body>,
  of: string,
  environment: Environment = process.env,
): ReceiverSettings<Body> {
  const given: Options = objectOf(options, of);
  refuseUnknown(given, receiverOptionNames, of);
  for (const name of ['key', 'parse', 'record'] as const) functionOr(given, name);
  schemaOf(given);
  callerOf(given);
  return {
    ...engineSettings(given, environment, () => 86_400),
    options,
    requireKey: requireKeyOf(given),
    volatile: volatileOf(given),
    methods: methodsOf(given),
    isRecorded: recordOf(options.record),
  };
}

/** The same for `receiveHttp`, which reads bodies itself. */
export function httpReceiverSettings<Body>(
  options: HttpReceiverOptions<Body>,
): ReceiverSettings<Body> & { readonly maxBodyBytes: number } {
  const { maxBodyBytes: _, ...rest } = objectOf(options, 'receiveHttp');
  const settings = receiverSettings(rest as unknown as ReceiverOptions<Body>, 'receiveHttp');
  return {
    ...settings,
    maxBodyBytes: whole({ ...options }, 'maxBodyBytes', 0, 2 ** 30) ?? 1_048_576,
  };
}

function callerOf(given: Options): void {
  if (given.caller === 'public' || typeof given.caller === 'function') return;
  throw new ConfigurationError(
    `caller is ${shown(given.caller)}; give a function ({ request }) => the caller's name, so that no caller is answered with another's answer, or 'public' if there is only one`,
  );
}

function requireKeyOf({ requireKey = true }: Options): boolean {
  if (typeof requireKey === 'boolean') return requireKey;
  throw new ConfigurationError(`requireKey is ${shown(requireKey)}; give true or false`);
}

function volatileOf(given: Options): readonly JsonPointer[] {
  const pointers = listOf(given, 'volatile', "JSON pointers, such as ['/attempt']") ?? [];
  return pointers.toSorted().map((text) => {
    const pointer = jsonPointer(text);
    if (pointer !== undefined) return pointer;
    throw new ConfigurationError(
      `volatile has ${shown(text)}; give a JSON pointer to a place inside the body, such as "/attempt"`,
    );
  });
}

const defaultMethods: readonly string[] = ['POST', 'PATCH'];

function methodsOf(given: Options): ReadonlySet<string> {
  const methods = listOf(given, 'methods', "methods, such as ['POST', 'PUT']") ?? defaultMethods;
  // A name with a slip in it would leave the method that was meant unguarded.
  const odd = methods.find((method) => !METHODS.includes(method.toUpperCase()));
  if (methods.length === 0 || odd !== undefined) {
    throw new ConfigurationError(
      `methods ${odd === undefined ? 'is empty' : `has ${shown(odd)}, which is no HTTP method`}; give those to be guarded, such as ['POST', 'PATCH']`,
    );
  }
  return new Set(methods.map((method) => method.toUpperCase()));
}

function listOf(given: Options, name: string, wanted: string): readonly string[] | undefined {
  const list = given[name];
  if (list === undefined) return undefined;
  if (Array.isArray(list) && list.every((item) => typeof item === 'string')) return list;
  throw new ConfigurationError(`${name} is ${shown(list)}; give an array of ${wanted}`);
}

const passing: ReadonlySet<number> = new Set([401, 403, 408, 425, 429]);

/** What would be the same again is kept; what may pass is not. */
function recordsByDefault(status: number): boolean {
  return status < 500 && !passing.has(status);
}

function recordOf(record: ((status: number) => boolean) | undefined): (status: number) => boolean {
  if (record === undefined) return recordsByDefault;
  return (status) => {
    try {
      const answer: unknown = record(status);
      // A promise is true whatever it comes to: a 500 would be the answer for a day.
      return isRefusedPromise(answer) ? recordsByDefault(status) : Boolean(answer);
    } catch {
      return recordsByDefault(status);
    }
  };
}
