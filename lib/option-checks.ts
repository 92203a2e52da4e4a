import { ConfigurationError } from './errors.ts';

/** Options as somebody gave them: anything may be in them. */
export type Options = Readonly<Record<string, unknown>>;
export type Environment = Readonly<Record<string, string | undefined>>;

export function objectOf(options: unknown, of: string, remedy = 'an object with at least a scope'): Options {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new ConfigurationError(`${of} was given ${shown(options)}; give ${remedy}`);
  }
  return options as Options;
}

export function refuseUnknown(given: Options, known: readonly string[], of: string): void {
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new ConfigurationError(
      `${of} has no option ${JSON.stringify(unknown)}; it has ${known.join(', ')}`,
    );
  }
}

export function functionOr(given: Options, name: string): void {
  if (given[name] !== undefined && typeof given[name] !== 'function') {
    throw new ConfigurationError(`${name} is ${shown(given[name])}; give a function`);
  }
}

/** A whole number of an option within its range, or nothing. */
export function whole(given: Options, name: string, least: number, most: number): number | undefined {
  const value = given[name];
  if (value === undefined) return undefined;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < least || value > most) {
    throw new ConfigurationError(`${name} is ${shown(value)}; give a whole number from ${least} to ${most}`);
  }
  return value;
}

/** The same from the environment, where every value is text. */
export function wholeText(
  environment: Environment,
  name: string,
  least: number,
  most: number,
): number | undefined {
  return whole({ [name]: numberText(environment, name) }, name, least, most);
}

/** A number of the environment; a variable that is empty says nothing. */
export function numberText(environment: Environment, name: string): number | undefined {
  const text = environment[name];
  if (text === undefined || text === '') return undefined;
  const value = Number(text);
  if (Number.isNaN(value)) throw new ConfigurationError(`${name} is ${shown(text)}; give a number`);
  return value;
}

export function oneOf<Value extends string>(
  given: Options,
  name: string,
  values: readonly Value[],
): Value | undefined {
  const value = given[name];
  if (value === undefined) return undefined;
  const found = values.find((allowed) => allowed === value);
  if (found === undefined) {
    throw new ConfigurationError(
      `${name} is ${shown(value)}; give ${values.map((v) => `'${v}'`).join(' or ')}`,
    );
  }
  return found;
}

/** A number of a group of options within its range, or nothing. */
export function between(
  given: Options,
  group: string,
  name: string,
  least: number,
  most: number,
): number | undefined {
  const value = given[name];
  if (value === undefined) return undefined;
  if (typeof value !== 'number' || !(value >= least && value <= most)) {
    throw new ConfigurationError(
      `${group}.${name} is ${shown(value)}; give a number from ${least} to ${most}`,
    );
  }
  return value;
}

export function schemaOf(given: Options): void {
  const schema = given.schema as { '~standard'?: { validate?: unknown } } | undefined;
  if (schema !== undefined && typeof schema?.['~standard']?.validate !== 'function') {
    throw new ConfigurationError(
      `schema is ${shown(schema)}; give a Standard Schema: zod 4, valibot or arktype`,
    );
  }
}

/** Code and deployment must not disagree: the construct derived alarms and limits from its own number. */
export function agreed<Value>(
  name: string,
  code: Value | undefined,
  deployed: Value | undefined,
  variable: string,
  rule: 'same' | 'either' = 'same',
): Value | undefined {
  if (rule === 'same' && code !== undefined && deployed !== undefined && code !== deployed) {
    throw new ConfigurationError(
      `${name} is ${shown(code)} in code and ${shown(deployed)} in ${variable}; leave it out of the code, or deploy the same value`,
    );
  }
  return code ?? deployed;
}

/** A value in an error's text, without calling anything of the value's own. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'an array' : 'an object';
  return String(value);
}
