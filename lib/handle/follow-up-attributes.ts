import { onceAttributeName } from '../arrive/once-attribute.ts';
import type { SqsMessageAttribute } from '../arrive/record.ts';

/**
 * The value of a message attribute: a string, a number or binary as it is, or in the SDK's own shape for a type
 * of one's own, such as `{ DataType: 'Number.cents', StringValue: '1200' }`.
 */
export type FollowUpAttribute =
  | string
  | number
  | Uint8Array
  | {
      readonly DataType: string;
      readonly StringValue?: string | undefined;
      readonly BinaryValue?: Uint8Array | undefined;
    };

/** SQS takes ten; one is ours. */
const mostAttributes = 9;

const longestNameOrType = 256;

/** Checked and copied, in the form Lambda hands attributes over in: JSON can hold it. */
export function checkedAttributes(given: unknown): Readonly<Record<string, SqsMessageAttribute>> {
  if (typeof given !== 'object' || given === null) {
    throw new TypeError(`followUps.send: attributes is ${kindOf(given)}; give an object of names and values`);
  }
  const entries = Object.entries(given).filter(([, value]) => value !== undefined);
  if (entries.length > mostAttributes) {
    throw new TypeError(
      `followUps.send: ${entries.length} attributes; give at most ${mostAttributes}, because SQS takes ten and one is ours`,
    );
  }
  return Object.fromEntries(
    entries.map(([name, value]) => [checkedName(name), checkedAttribute(name, value)]),
  );
}

function checkedName(name: string): string {
  if (name === onceAttributeName) {
    throw new TypeError(`followUps.send: the attribute "${name}" is ours; give yours another name`);
  }
  const wellFormed = /^[\w-]+(\.[\w-]+)*$/.test(name) && name.length <= longestNameOrType;
  if (wellFormed && !/^(aws|amazon)\./i.test(name)) return name;
  throw new TypeError(
    `followUps.send: the attribute name ${JSON.stringify(name.slice(0, longestNameOrType))} is none SQS takes; ` +
      `give up to ${longestNameOrType} letters, digits, "_", "-" and single ".", not beginning with "AWS." or "Amazon."`,
  );
}

function checkedAttribute(name: string, value: unknown): SqsMessageAttribute {
  if (typeof value === 'string') return textual(name, 'String', value);
  if (typeof value === 'number') return textual(name, 'Number', String(value));
  if (value instanceof Uint8Array) return binary(name, 'Binary', value);
  const { DataType, StringValue, BinaryValue } = (value ?? {}) as Record<string, unknown>;
  if (typeof DataType === 'string' && DataType.length <= longestNameOrType) {
    if (/^(String|Number)(\..+)?$/.test(DataType) && typeof StringValue === 'string') {
      return textual(name, DataType, StringValue);
    }
    if (/^Binary(\..+)?$/.test(DataType) && BinaryValue instanceof Uint8Array) {
      return binary(name, DataType, BinaryValue);
    }
  }
  throw new TypeError(
    `followUps.send: the attribute "${name}" is ${kindOf(value)}; give a string, a number, a Uint8Array, or ` +
      '{ DataType, StringValue } or { DataType, BinaryValue }',
  );
}

function textual(name: string, dataType: string, text: string): SqsMessageAttribute {
  if (text === '' || isRefusedBySqs(text) || isRefusedBySqs(dataType)) {
    throw new TypeError(
      `followUps.send: the attribute "${name}" is empty or has characters SQS refuses; give text without control characters`,
    );
  }
  if (dataType.startsWith('Number') && !/^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text)) {
    throw new TypeError(`followUps.send: the attribute "${name}" is no number; give a finite one`);
  }
  return { dataType, stringValue: text };
}

function binary(name: string, dataType: string, bytes: Uint8Array): SqsMessageAttribute {
  if (bytes.length === 0) {
    throw new TypeError(`followUps.send: the attribute "${name}" is empty; leave it out`);
  }
  return { dataType, binaryValue: Buffer.from(bytes).toString('base64') };
}

/** SQS refuses control characters; a lone surrogate would arrive as another character. */
export function isRefusedBySqs(text: string): boolean {
  return /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u.test(text);
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return typeof value === 'object' ? 'an object of another shape' : `a ${typeof value}`;
}
