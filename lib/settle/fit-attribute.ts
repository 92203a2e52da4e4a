import type { MessageAttributeValue } from '@aws-sdk/client-sqs';
import { type OnceAttribute, onceAttributeName, onceAttributeText } from '../arrive/once-attribute.ts';

/** SQS takes ten attributes and 1,048,576 bytes a message, names, types and values counted. */
const mostAttributes = 10;
const mostBytes = 1_048_576;

const dataType = 'String';

/** A message's attributes in the form the SDK takes. */
export type Attributes = Readonly<Record<string, MessageAttributeValue>>;

/**
 * The message's attributes with ours among them: the first telling that fits. Metadata gives way, the message
 * never does: when none fits, they stay as they are.
 */
export function withOnceAttribute(
  body: string,
  attributes: Attributes,
  tellings: readonly OnceAttribute[],
): Record<string, MessageAttributeValue> {
  const room = roomFor(body, attributes);
  const text = tellings.map(onceAttributeText).find((telling) => Buffer.byteLength(telling) <= room);
  if (text === undefined) return { ...attributes };
  return { ...attributes, [onceAttributeName]: { DataType: dataType, StringValue: text } };
}

/** Bytes left for the text of our attribute. A user's own attribute of its name is the user's, and leaves none. */
function roomFor(body: string, attributes: Attributes): number {
  if (Object.keys(attributes).length >= mostAttributes || onceAttributeName in attributes) return 0;
  const taken = Buffer.byteLength(body) + bytesOf(attributes) + onceAttributeName.length + dataType.length;
  return mostBytes - taken;
}

function bytesOf(attributes: Attributes): number {
  return Object.entries(attributes).reduce(
    (bytes, [name, value]) =>
      bytes +
      Buffer.byteLength(name) +
      Buffer.byteLength(value.DataType ?? '') +
      Buffer.byteLength(value.StringValue ?? '') +
      (value.BinaryValue?.byteLength ?? 0),
    0,
  );
}
