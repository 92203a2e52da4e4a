import fc from 'fast-check';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { FencedOutError } from '../../lib/errors.ts';
import { followUpFrom } from '../../lib/handle/follow-up-record.ts';
import { type AttemptFollowUps, createFollowUps, type FollowUp } from '../../lib/handle/follow-ups.ts';

const queueUrl = 'https://sqs.eu-west-1.amazonaws.com/111122223333/receipts';
const fifoUrl = `${queueUrl}.fifo`;

function collect(rowKey = 'capture-payment#A-17') {
  return createFollowUps({ rowKey, ensureOpen: () => {} });
}

/** What the row records of one follow-up. */
function recorded(followUp: FollowUp) {
  const collected = collect();
  collected.face.send(followUp);
  return followUpFrom(collected.freeze()[0] ?? '');
}

describe('a follow-up', () => {
  test('is recorded whole, as JSON text, in the order of the calls', () => {
    const collected = collect();
    collected.face.send({ queueUrl, body: { orderId: 'A-17' }, delaySeconds: 900, groupId: 'tenant-1' });
    collected.face.send({
      queueUrl: fifoUrl,
      body: 'as it is',
      groupId: 'A-17',
      attributes: {
        text: 'ä',
        count: 1.5,
        bytes: Uint8Array.from([0, 255]),
        cents: { DataType: 'Number.cents', StringValue: '1200' },
        image: { DataType: 'Binary.png', BinaryValue: Buffer.from('png') },
        absent: undefined as never,
      },
    });
    expect(collected.size).toBe(2);
    expect(collected.freeze().map((text) => JSON.parse(text))).toEqual([
      {
        key: 'hgqnoY3v4C-vFZxk9Z76TVY3MIucfhWv2GZyeziW2Zg',
        queueUrl,
        body: '{"orderId":"A-17"}',
        groupId: 'tenant-1',
        delaySeconds: 900,
      },
      {
        key: '5M4mosZ9og-m6Zo48oi2rRsAOmdgTnVhk_mppvGQ0sM',
        queueUrl: fifoUrl,
        body: 'as it is',
        groupId: 'A-17',
        attributes: {
          text: { dataType: 'String', stringValue: 'ä' },
          count: { dataType: 'Number', stringValue: '1.5' },
          bytes: { dataType: 'Binary', binaryValue: 'AP8=' },
          cents: { dataType: 'Number.cents', stringValue: '1200' },
          image: { dataType: 'Binary.png', binaryValue: 'cG5n' },
        },
      },
    ]);
  });

  test("has a key of its parent's row and its place, so two consumers of one event never collide", () => {
    const keys = (rowKey: string) => {
      const collected = collect(rowKey);
      for (let i = 0; i < 3; i += 1) collected.face.send({ queueUrl, body: 'same' });
      return collected.freeze().map((text) => followUpFrom(text).key);
    };
    const all = [...keys('mail#A-17'), ...keys('courier#A-17'), ...keys('courier#A-18')];
    expect(new Set(all).size).toBe(9);
    expect(keys('mail#A-17')).toEqual(all.slice(0, 3));
    for (const key of all) expect(key).toMatch(/^[\w-]{43}$/);
  });

  test('keeps what was given, whatever the handler does to it afterwards', () => {
    const collected = collect();
    const body = { lines: ['cup'] };
    const bytes = Uint8Array.from([1]);
    collected.face.send({ queueUrl, body, attributes: { bytes } });
    body.lines.push('pot');
    bytes[0] = 9;
    expect(followUpFrom(collected.freeze()[0] ?? '')).toMatchObject({
      body: '{"lines":["cup"]}',
      attributes: { bytes: { binaryValue: 'AQ==' } },
    });
  });

  test.each([
    ['null', null, 'null'],
    ['nought', 0, '0'],
    ['false', false, 'false'],
    ['an array', [], '[]'],
    ['a Date', new Date(0), '"1970-01-01T00:00:00.000Z"'],
    ['a string that is JSON', '{"a":1}', '{"a":1}'],
    ['white space that SQS takes', ' \t\r\n', ' \t\r\n'],
    ['an emoji and what JSON escapes', { '\u{1f600}': '\u0000\ud800' }, '{"\u{1f600}":"\\u0000\\ud800"}'],
    ['what JSON leaves and SQS refuses', ['\ufffe\uffff'], '["\\ufffe\\uffff"]'],
  ])('has a body of %s', (_, body, text) => {
    expect(recorded({ queueUrl, body }).body).toBe(text);
  });

  test('with any JSON for a body carries that very value, in characters SQS takes', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
        fc.pre(typeof value !== 'string');
        const { body } = recorded({ queueUrl, body: value });
        expect(JSON.stringify(JSON.parse(body))).toBe(JSON.stringify(value));
        expect(body).not.toMatch(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u);
      }),
    );
  });

  test('to a local queue is taken by its URL', () => {
    const local = 'http://127.0.0.1:4100/000000000000/receipts';
    expect(recorded({ queueUrl: local, body: 1 }).queueUrl).toBe(local);
  });
});

describe('a follow-up SQS would refuse is refused where it is added', () => {
  const nine = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`a${i}`, i]));
  const self: { self?: unknown } = {};
  self.self = self;

  test.each([
    ['nothing', undefined, 'was given no object'],
    ['an unknown property', { queueUrl, body: 1, delay: 1 }, 'no property "delay"; it has queueUrl, body'],
    ['no queue', { body: 1 }, 'queueUrl is of type undefined'],
    ['a name', { queueUrl: 'receipts', body: 1 }, 'queueUrl is "receipts"; give the queue\'s URL'],
    ['an ARN', { queueUrl: 'arn:aws:sqs:eu-west-1:111122223333:receipts', body: 1 }, "give the queue's URL"],
    [
      'a URL without a queue',
      { queueUrl: 'https://sqs.eu-west-1.amazonaws.com/', body: 1 },
      "give the queue's URL",
    ],
    ['a URL with more behind the queue', { queueUrl: `${fifoUrl}?x`, body: 1 }, "give the queue's URL"],
    ['no body', { queueUrl }, 'body is undefined'],
    ['an empty body', { queueUrl, body: '' }, 'body is empty'],
    ['a control character', { queueUrl, body: 'a\u0000' }, 'characters SQS refuses'],
    ['a character SQS refuses', { queueUrl, body: '\uffff' }, 'characters SQS refuses'],
    ['half a surrogate pair', { queueUrl, body: 'a\ud83d' }, 'characters SQS refuses'],
    ['a function', { queueUrl, body: () => 1 }, 'body is function'],
    ['a circle', { queueUrl, body: self }, 'cannot be written as JSON'],
    ['a bigint', { queueUrl, body: 1n }, 'cannot be written as JSON'],
    [
      'a negative delay',
      { queueUrl, body: 1, delaySeconds: -1 },
      'delaySeconds is -1; give whole seconds from 0 to 900',
    ],
    ['a long delay', { queueUrl, body: 1, delaySeconds: 901 }, 'delaySeconds is 901'],
    ['a broken delay', { queueUrl, body: 1, delaySeconds: 1.5 }, 'delaySeconds is 1.5'],
    ['a delay in words', { queueUrl, body: 1, delaySeconds: '5' }, 'delaySeconds is of type string'],
    [
      'a delay in a FIFO queue',
      { queueUrl: fifoUrl, body: 1, groupId: 'g', delaySeconds: 0 },
      'given for a FIFO queue',
    ],
    ['a FIFO queue without group', { queueUrl: fifoUrl, body: 1 }, 'groupId is missing'],
    ['an empty group', { queueUrl: fifoUrl, body: 1, groupId: '' }, 'groupId is none SQS takes'],
    ['a group with a space', { queueUrl, body: 1, groupId: 'a b' }, 'groupId is none SQS takes'],
    ['a long group', { queueUrl, body: 1, groupId: 'g'.repeat(129) }, 'groupId is none SQS takes'],
    [
      'our attribute',
      { queueUrl, body: 1, attributes: { 'sqs-once': 'x' } },
      'the attribute "sqs-once" is ours',
    ],
    ['ten attributes', { queueUrl, body: 1, attributes: { ...nine, b: 1 } }, '10 attributes; give at most 9'],
    ['a list of attributes', { queueUrl, body: 1, attributes: 'x' }, 'attributes is a string'],
    ['an empty attribute', { queueUrl, body: 1, attributes: { a: '' } }, '"a" is empty'],
    [
      'an attribute without bytes',
      { queueUrl, body: 1, attributes: { a: new Uint8Array() } },
      '"a" is empty',
    ],
    [
      'an attribute with a control character',
      { queueUrl, body: 1, attributes: { a: '\u0001' } },
      '"a" is empty or has',
    ],
    ['no number', { queueUrl, body: 1, attributes: { a: Number.NaN } }, '"a" is no number'],
    [
      'no typed number',
      { queueUrl, body: 1, attributes: { a: { DataType: 'Number.x', StringValue: '1 euro' } } },
      '"a" is no number',
    ],
    [
      'an attribute of no type',
      { queueUrl, body: 1, attributes: { a: true } },
      '"a" is a boolean; give a string',
    ],
    [
      "an attribute in Lambda's shape",
      { queueUrl, body: 1, attributes: { a: { dataType: 'String', stringValue: 'x' } } },
      'an object of another shape',
    ],
    [
      'another data type',
      { queueUrl, body: 1, attributes: { a: { DataType: 'Date', StringValue: 'x' } } },
      'an object of another shape',
    ],
    [
      'a type and a value that differ',
      { queueUrl, body: 1, attributes: { a: { DataType: 'Binary', StringValue: 'x' } } },
      'an object of another shape',
    ],
  ])('%s', (_, followUp, said) => {
    const collected = collect();
    const refused = () => collected.face.send(followUp as never);
    expect(refused).toThrow(TypeError);
    expect(refused).toThrow(said);
    expect(collected.freeze()).toEqual([]);
  });

  test.each(['', 'a b', '.a', 'a.', 'a..b', 'AWS.x', 'amazon.x', 'ä', 'x'.repeat(257)])(
    'an attribute named %j',
    (name) => {
      expect(() => recorded({ queueUrl, body: 1, attributes: { [name]: 'x' } })).toThrow('is none SQS takes');
    },
  );

  test('but not nine attributes, nor names that are merely odd', () => {
    expect(() => recorded({ queueUrl, body: 1, attributes: nine })).not.toThrow();
    expect(() =>
      recorded({ queueUrl, body: 1, attributes: { 'a.b-c_d': 'x', awsome: 'y', [`x`.repeat(256)]: 1 } }),
    ).not.toThrow();
  });

  test('more than 128 KB in all, with the limit', () => {
    const collected = collect();
    collected.face.send({ queueUrl, body: 'x'.repeat(100_000) });
    const refused = () => collected.face.send({ queueUrl, body: 'ä'.repeat(20_000) });
    expect(refused).toThrow(TypeError);
    expect(refused).toThrow(/would need \d+ bytes of the claim's row and may need 131072/);
    const left = 131_072 - Buffer.byteLength(collected.freeze()[0] ?? '');
    const again = collect();
    again.face.send({ queueUrl, body: 'x'.repeat(100_000) });
    const frame = Buffer.byteLength(JSON.stringify({ ...recorded({ queueUrl, body: 'x' }), body: '' }));
    expect(() => again.face.send({ queueUrl, body: 'x'.repeat(left - frame + 1) })).toThrow('131073 bytes');
    again.face.send({ queueUrl, body: 'x'.repeat(left - frame) });
    expect(again.size).toBe(2);
  });

  test('without telling the body', () => {
    const secrets = ['hush\u0000', { big: 1n, word: 'hush' }, () => 'hush'];
    for (const body of secrets) {
      expect(() => recorded({ queueUrl, body })).toThrow(
        expect.objectContaining({ message: expect.not.stringContaining('hush') }),
      );
    }
  });
});

describe('an attempt that is over', () => {
  test('takes no follow-up once they were frozen', () => {
    const collected = collect();
    collected.face.send({ queueUrl, body: 1 });
    const texts = collected.freeze();
    expect(() => collected.face.send({ queueUrl, body: 2 })).toThrow('the attempt has ended');
    expect(collected.freeze()).toBe(texts);
    expect(texts).toHaveLength(1);
  });

  test('takes none once it was told to stop', () => {
    const fenced = new FencedOutError('over');
    const { face } = createFollowUps({
      rowKey: 's#k',
      ensureOpen: () => {
        throw fenced;
      },
    });
    expect(() => face.send({ queueUrl, body: 1 })).toThrow(fenced);
  });
});

test('the type of a follow-up asks for queue and body', () => {
  expectTypeOf<AttemptFollowUps['send']>().parameter(0).toEqualTypeOf<FollowUp>();
  const { face } = collect();
  face.send({ queueUrl, body: { any: ['thing'] } });
  // @ts-expect-error no queue
  expect(() => face.send({ body: 1 })).toThrow();
  // @ts-expect-error an attribute of no type
  expect(() => face.send({ queueUrl, body: 1, attributes: { a: true } })).toThrow();
});
