import { expect, test } from 'vitest';
import { deliveredAgain, toRecord } from '../../lib/local/record.ts';

const queueArn = 'arn:aws:sqs:eu-west-1:000000000000:orders.fifo';
const message = {
  MessageId: 'm-1',
  ReceiptHandle: 'receipt',
  Body: '{}',
  MD5OfBody: 'body-digest',
  MD5OfMessageAttributes: 'attribute-digest',
  Attributes: { ApproximateReceiveCount: '2', SentTimestamp: '1', SenderId: 'me', MessageGroupId: 'g' },
  MessageAttributes: {
    tenant: { DataType: 'String', StringValue: 'a' },
    size: { DataType: 'Number', StringValue: '3' },
    seal: { DataType: 'Binary', BinaryValue: Uint8Array.of(1, 2, 255) },
  },
};

test('a record has the shape Lambda hands over', () => {
  expect(JSON.parse(JSON.stringify(toRecord(message, queueArn)))).toEqual({
    messageId: 'm-1',
    receiptHandle: 'receipt',
    body: '{}',
    md5OfBody: 'body-digest',
    attributes: { ApproximateReceiveCount: '2', SentTimestamp: '1', SenderId: 'me', MessageGroupId: 'g' },
    messageAttributes: {
      tenant: { dataType: 'String', stringValue: 'a', stringListValues: [], binaryListValues: [] },
      size: { dataType: 'Number', stringValue: '3', stringListValues: [], binaryListValues: [] },
      seal: { dataType: 'Binary', binaryValue: 'AQL/', stringListValues: [], binaryListValues: [] },
    },
    eventSource: 'aws:sqs',
    eventSourceARN: queueArn,
    awsRegion: 'eu-west-1',
  });
});

test('a second delivery is the same message under the same receipt, received once more', () => {
  const first = toRecord(message, queueArn);
  const second = deliveredAgain(first);
  expect(second.attributes.ApproximateReceiveCount).toBe('3');
  expect(first.attributes.ApproximateReceiveCount).toBe('2');
  expect({ ...second, attributes: first.attributes }).toEqual(first);
});
