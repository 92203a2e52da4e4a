import type { Message, MessageAttributeValue } from '@aws-sdk/client-sqs';
import type { SqsMessageAttribute, SqsRecord } from '../arrive/record.ts';

/**
 * One received message as Lambda's event source mapping hands it over: attributes are strings, message
 * attributes have lower-case names and base64, their digest is absent, and the queue is named by ARN only.
 */
export function toRecord(message: Message, queueArn: string): SqsRecord {
  return {
    messageId: message.MessageId ?? '',
    receiptHandle: message.ReceiptHandle ?? '',
    body: message.Body ?? '',
    attributes: { ...message.Attributes },
    messageAttributes: Object.fromEntries(
      Object.entries(message.MessageAttributes ?? {}).map(([name, value]) => [name, toAttribute(value)]),
    ),
    md5OfBody: message.MD5OfBody ?? '',
    eventSource: 'aws:sqs',
    eventSourceARN: queueArn,
    awsRegion: regionOf(queueArn),
  };
}

/** Lambda hands over two empty lists with every attribute; SQS knows no lists. */
type LambdaAttribute = SqsMessageAttribute & {
  readonly stringListValues: readonly never[];
  readonly binaryListValues: readonly never[];
};

function toAttribute(value: MessageAttributeValue): LambdaAttribute {
  const content =
    value.BinaryValue === undefined
      ? { stringValue: value.StringValue }
      : { binaryValue: Buffer.from(value.BinaryValue).toString('base64') };
  return { ...content, stringListValues: [], binaryListValues: [], dataType: value.DataType ?? 'String' };
}

/** The region an ARN names. */
export function regionOf(arn: string): string {
  return arn.split(':')[3] ?? '';
}

/** How often SQS says it handed this message out. */
export function receiveCountOf(record: SqsRecord): number {
  return Number(record.attributes.ApproximateReceiveCount);
}

/** The same message delivered once more under the same receipt, as a standard queue may do at any time. */
export function deliveredAgain(record: SqsRecord): SqsRecord {
  const receives = String(receiveCountOf(record) + 1);
  return { ...record, attributes: { ...record.attributes, ApproximateReceiveCount: receives } };
}
