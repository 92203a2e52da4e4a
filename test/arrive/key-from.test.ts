import { describe, expect, it } from 'vitest';
import { keyFrom } from '../../lib/arrive/key-from.ts';
import { rowKey } from '../../lib/arrive/row-key.ts';

const json = JSON.stringify;
const recordOf = (body: unknown) => ({ record: { body: typeof body === 'string' ? body : json(body) } });

const notification = {
  Type: 'Notification',
  MessageId: 'dc1e94d9-0000-5e96-808d-000000000001',
  TopicArn: 'arn:aws:sns:eu-north-1:111122223333:orders',
  Message: 'hello',
  Timestamp: '2026-01-02T03:04:05.678Z',
};

const event = {
  version: '0',
  id: '6a7e8feb-0000-4cc2-88f1-000000000001',
  'detail-type': 'Order Placed',
  source: 'shop',
  account: '111122223333',
  time: '2026-01-02T03:04:05Z',
  region: 'eu-north-1',
  resources: [],
  detail: { orderId: 1 },
};

const upload = {
  eventVersion: '2.5',
  eventSource: 'aws:s3',
  eventTime: '2026-01-02T03:04:05.678Z',
  eventName: 'ObjectCreated:Put',
  s3: {
    bucket: { name: 'uploads' },
    object: { key: 'a/b+c.txt', size: 3, eTag: 'e1', versionId: 'v1', sequencer: '0055AED6DCD90281E5' },
  },
};

const testEvent = {
  Service: 'Amazon S3',
  Event: 's3:TestEvent',
  Time: '2026-01-02T03:04:05.678Z',
  Bucket: 'uploads',
  RequestId: 'r',
  HostId: 'h',
};

const throughSns = (message: unknown) => ({ ...notification, Message: json(message) });
/** What a pipe sends on: the whole record it received. */
const throughPipe = (body: unknown) => ({
  messageId: 'm-1',
  body: json(body),
  attributes: {},
  messageAttributes: {},
  eventSource: 'aws:sqs',
  eventSourceARN: 'arn:aws:sqs:eu-north-1:111122223333:first',
});

const foreign: readonly (readonly [string, unknown])[] = [
  ['no JSON', 'not json'],
  ['nothing', ''],
  ['null', 'null'],
  ['a number', '7'],
  ['a list', '[]'],
  ['an empty object', {}],
  ['a subscription being confirmed', { ...notification, Type: 'SubscriptionConfirmation' }],
  ['a subscription being ended', { ...notification, Type: 'UnsubscribeConfirmation' }],
];

function refusalOf(key: (source: ReturnType<typeof recordOf>) => string, body: unknown): unknown {
  try {
    return key(recordOf(body));
  } catch (error) {
    return error;
  }
}

const noKey = expect.objectContaining({ name: 'NoKeyError' });

describe('the key of an SNS notification', () => {
  it('is the same for every SQS message SNS made of one publish', () => {
    expect(keyFrom.sns(recordOf(notification))).toBe(notification.MessageId);
    expect(keyFrom.sns(recordOf({ ...notification, Signature: 'another' }))).toBe(notification.MessageId);
    expect(keyFrom.sns(recordOf({ ...notification, MessageId: 'other' }))).toBe('other');
  });

  it('is found behind a pipe', () => {
    expect(keyFrom.sns(recordOf(throughPipe(notification)))).toBe(notification.MessageId);
    expect(keyFrom.sns(recordOf({ ...throughPipe(''), body: notification }))).toBe(notification.MessageId);
  });

  it.each<readonly [string, unknown]>([
    ...foreign,
    ['an EventBridge event', event],
    ['a raw message that has an id of its own', { MessageId: 'forged', orderId: 1 }],
    ['a notification without an id', { ...notification, MessageId: undefined }],
    ['a notification with a blank id', { ...notification, MessageId: ' ' }],
    ['a notification with a number for an id', { ...notification, MessageId: 7 }],
    ['a notification inside a message', { body: json(notification) }],
  ])('is refused for %s', (_, body) => {
    expect(refusalOf(keyFrom.sns, body)).toEqual(noKey);
  });

  it('is to be taken from elsewhere under raw delivery, says the refusal', () => {
    expect(refusalOf(keyFrom.sns, { orderId: 1 })).toHaveProperty(
      'message',
      expect.stringContaining('raw delivery'),
    );
  });
});

describe('the key of an EventBridge event', () => {
  it('is its id, whichever way it came', () => {
    expect(keyFrom.eventBridge(recordOf(event))).toBe(event.id);
    expect(keyFrom.eventBridge(recordOf(throughSns(event)))).toBe(event.id);
    expect(keyFrom.eventBridge(recordOf(throughPipe(throughSns(event))))).toBe(event.id);
  });

  it.each<readonly [string, unknown]>([
    ...foreign,
    ['an SNS notification', notification],
    ['an S3 event', { Records: [upload] }],
    ['an object with an id', { id: 'x' }],
    ['an event without an id', { ...event, id: undefined }],
    ['an event with a blank id', { ...event, id: '' }],
    ['an event of no type', { ...event, 'detail-type': undefined }],
    ['an event of no source', { ...event, source: undefined }],
  ])('is refused for %s', (_, body) => {
    expect(refusalOf(keyFrom.eventBridge, body)).toEqual(noKey);
  });
});

describe('the key of an S3 event', () => {
  const keyOf = (...records: readonly unknown[]) => keyFrom.s3(recordOf({ Records: records }));
  const changed = (object: object, rest: object = {}) => ({
    ...upload,
    ...rest,
    s3: { ...upload.s3, object: { ...upload.s3.object, ...object } },
  });

  it('names event, bucket, object, version and sequencer', () => {
    expect(keyOf(upload)).toBe('[["ObjectCreated:Put","uploads","a/b+c.txt","v1","0055AED6DCD90281E5"]]');
  });

  it('is the same whichever way the event came, and whenever', () => {
    expect(keyFrom.s3(recordOf(throughSns({ Records: [upload] })))).toBe(keyOf(upload));
    expect(keyFrom.s3(recordOf(throughPipe(throughSns({ Records: [upload] }))))).toBe(keyOf(upload));
    expect(keyOf({ ...upload, eventTime: 'later', responseElements: {} })).toBe(keyOf(upload));
    expect(keyFrom.s3(recordOf(`\ufeff${json({ Records: [upload] })}`))).toBe(keyOf(upload));
  });

  it.each([
    ['another object', changed({ key: 'other' })],
    ['another version', changed({ versionId: 'v2' })],
    ['another write of the same content', changed({ sequencer: '0055AED6DCD90281E6' })],
    ['another event', changed({}, { eventName: 'ObjectRemoved:Delete' })],
    ['another bucket', { ...upload, s3: { ...upload.s3, bucket: { name: 'other' } } }],
  ])('differs for %s', (_, other) => {
    expect(keyOf(other)).not.toBe(keyOf(upload));
  });

  it('takes the ETag where there are no versions, and the time where there is no sequencer', () => {
    const plain = changed({ versionId: null, sequencer: undefined });
    expect(keyOf(plain)).toBe(
      '[["ObjectCreated:Put","uploads","a/b+c.txt","e1","2026-01-02T03:04:05.678Z"]]',
    );
    expect(keyOf({ ...plain, eventTime: 'later' })).not.toBe(keyOf(plain));
    expect(keyOf(changed({ versionId: undefined, eTag: undefined }))).toContain('"a/b+c.txt","","0055');
  });

  it('covers every record of the notification, in order', () => {
    const second = changed({ key: 'second' });
    expect(keyOf(upload, second)).not.toBe(keyOf(upload));
    expect(keyOf(upload, second)).not.toBe(keyOf(second, upload));
    expect(keyOf(upload, second)).toBe(keyOf(upload, second));
    expect(rowKey('index', keyOf(...Array(40).fill(second))).length).toBeLessThan(100);
  });

  it('cannot be forged by an object named like a key', () => {
    const forged = changed({ key: 'a","v1","0055AED6DCD90281E5"],["x', versionId: '', eTag: '' });
    expect(keyOf(forged)).not.toContain('"a","v1"');
  });

  it.each<readonly [string, unknown]>([
    ...foreign,
    ['an SNS notification of something else', notification],
    ['no records', { Records: [] }],
    ['records that are no list', { Records: 'x' }],
    ['an SQS record', { Records: [throughPipe(event)] }],
    ['one foreign record among good ones', { Records: [upload, null] }],
    ['a record of another service', { Records: [{ ...upload, eventSource: 'aws:ses' }] }],
    ['a record without its event', { Records: [{ ...upload, eventName: undefined }] }],
    ['a record without its object', { Records: [{ ...upload, s3: { bucket: { name: 'b' } } }] }],
    ['a record without its bucket', { Records: [{ ...upload, s3: { object: upload.s3.object } }] }],
    [
      'a record with neither sequencer nor time',
      { Records: [changed({ sequencer: '' }, { eventTime: '' })] },
    ],
    ['the test event', testEvent],
  ])('is refused for %s', (_, body) => {
    expect(refusalOf(keyFrom.s3, body)).toEqual(noKey);
  });
});

describe('the test event of S3', () => {
  it.each([
    ['as it is', testEvent],
    ['through SNS', throughSns(testEvent)],
    ['through SNS and a pipe', throughPipe(throughSns(testEvent))],
  ])('is acknowledged without work, %s', (_, body) => {
    expect(keyFrom.s3.acknowledges?.(recordOf(body))).toBe(true);
  });

  it.each<readonly [string, unknown]>([
    ...foreign,
    ['a real event', { Records: [upload] }],
    ['a real event about an object of that name', { Records: [{ ...upload, note: 's3:TestEvent' }] }],
    ['a message that mentions it', 's3:TestEvent'],
    ['a message of someone else that claims it', { Event: 's3:TestEvent' }],
    ['a notification that mentions it', { ...notification, Subject: 's3:TestEvent' }],
  ])('is not mistaken for %s', (_, body) => {
    expect(keyFrom.s3.acknowledges?.(recordOf(body))).toBe(false);
  });

  it('means nothing to the other helpers', () => {
    expect(keyFrom.sns.acknowledges).toBeUndefined();
    expect(keyFrom.eventBridge.acknowledges).toBeUndefined();
  });
});
