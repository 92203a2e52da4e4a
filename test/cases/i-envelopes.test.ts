/** Field case 26: the stable id is inside the envelope, and what is around it is another each time. */
import { describe, expect, it } from 'vitest';
import { type EnvelopeKey, keyFrom } from '../../lib/arrive/key-from.ts';
import type { Message } from '../../lib/options.ts';
import { again, failedIds, record } from '../support/records.ts';
import { faces, world } from '../support/rig.ts';

const event = {
  version: '0',
  id: '6a7e8feb-0000-4cc2-88f1-000000000001',
  'detail-type': 'Order Placed',
  source: 'shop',
  time: '2026-01-02T03:04:05Z',
  resources: [],
  detail: { orderId: 1 },
};

const upload = {
  Records: [
    {
      eventSource: 'aws:s3',
      eventTime: '2026-01-02T03:04:05.678Z',
      eventName: 'ObjectCreated:Put',
      s3: {
        configurationId: 'thumbnails',
        bucket: { name: 'uploads' },
        object: { key: 'a.txt', sequencer: '01' },
      },
    },
  ],
};
const uploadOfAnotherRule = structuredClone(upload);
Object.assign(uploadOfAnotherRule.Records[0]?.s3 ?? {}, { configurationId: 'index' });

let deliveries = 0;
/** As SNS delivers it: signed and stamped anew each time. */
function throughSns(message: unknown) {
  deliveries += 1;
  return {
    Type: 'Notification',
    MessageId: 'dc1e94d9-0000-5e96-808d-000000000001',
    TopicArn: 'arn:aws:sns:eu-north-1:111122223333:orders',
    Message: JSON.stringify(message),
    Timestamp: new Date(deliveries * 1_000).toISOString(),
    SignatureVersion: '1',
    Signature: `signature ${deliveries}`,
    SigningCertURL: `https://sns.eu-north-1.amazonaws.com/${deliveries}.pem`,
    UnsubscribeURL: 'https://sns.eu-north-1.amazonaws.com/?Action=Unsubscribe',
    MessageAttributes: { kind: { Type: 'String', Value: 'placed' } },
  };
}

/** As a pipe sends it on: the record it received. */
const throughPipe = (body: unknown) => ({
  messageId: 'of the first queue',
  body: JSON.stringify(body),
  eventSource: 'aws:sqs',
  eventSourceARN: 'arn:aws:sqs:eu-north-1:111122223333:first',
});

const onceEach: readonly (readonly [string, EnvelopeKey, unknown, unknown])[] = [
  ['SNS, signed anew', keyFrom.sns, throughSns({ orderId: 1 }), throughSns({ orderId: 1 })],
  [
    'SNS, once through a pipe',
    keyFrom.sns,
    throughSns({ orderId: 1 }),
    throughPipe(throughSns({ orderId: 1 })),
  ],
  ['EventBridge, as it was', keyFrom.eventBridge, event, event],
  ['EventBridge, once through SNS', keyFrom.eventBridge, event, throughSns(event)],
  [
    'EventBridge, replayed from an archive',
    keyFrom.eventBridge,
    event,
    { ...event, 'replay-name': 'of May' },
  ],
  ['S3, as it was', keyFrom.s3, upload, upload],
  ['S3, once through SNS', keyFrom.s3, upload, throughSns(upload)],
  ['S3, by two rules of one bucket', keyFrom.s3, upload, uploadOfAnotherRule],
];

describe('case 26: one event as two messages is done once', () => {
  describe.each(faces)('behind %s', (face) => {
    it.each(onceEach)('from %s', async (_, key, first, second) => {
      const w = world();
      const runs: string[] = [];
      const deliver = w.consumer(
        ({ record: { messageId } }: Message) => void runs.push(messageId),
        { key },
        face,
      );
      await deliver([record('m1', { body: first })]);
      expect(failedIds(await deliver([record('m2', { body: second })]))).toEqual([]);
      expect(runs).toEqual(['m1']);
      expect(w.seen.story('m2')).toEqual(['duplicate']);
    });
  });

  it.each<[string, EnvelopeKey, unknown, unknown]>([
    ['SNS', keyFrom.sns, throughSns({ orderId: 1 }), throughSns({ orderId: 2 })],
    ['EventBridge', keyFrom.eventBridge, event, { ...event, detail: { orderId: 2 } }],
  ])(
    'another payload under the id of one from %s is parked, and not taken for it',
    async (_, key, first, forged) => {
      const w = world();
      const deliver = w.consumer(() => {}, { key });
      await deliver([record('m1', { body: first }), record('m2', { body: forged })]);
      expect(w.seen.story('m2')).toEqual(['key-reused', 'parked']);
      expect(w.seen.story('m1')).toEqual(['claimed', 'completed']);
    },
  );

  it('a fingerprint that is given, or is none, counts for more than the envelope’s', async () => {
    const w = world();
    const key = keyFrom.sns;
    await w.consumer(() => {}, { key, fingerprint: () => 'one' })([record('m1', { body: throughSns(1) })]);
    for (const [id, fingerprint] of [
      ['m2', false],
      ['m3', () => 'other'],
    ] as const) {
      await w.consumer(() => {}, { key, fingerprint })([record(id, { body: throughSns(1) })]);
    }
    expect(w.seen.story('m2')).toEqual(['duplicate']);
    expect(w.seen.story('m3')).toEqual(['key-reused', 'parked']);
  });

  it('a message claimed before this form of fingerprint was known is still its own duplicate', async () => {
    const w = world();
    const before = (source: Parameters<EnvelopeKey>[0]) => keyFrom.sns(source);
    const message = record('m1', { body: throughSns({ orderId: 1 }) });
    await w.consumer(() => {}, { key: before })([message]);
    expect(failedIds(await w.consumer(() => {}, { key: keyFrom.sns })([again(message)]))).toEqual([]);
    expect(w.seen.story('m1').at(-1)).toBe('duplicate');
  });
});
