// The proxy itself keeps one law: what it says it broke is broken, and nothing else is.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type DroppingProxy, startDroppingProxy } from './dropping-proxy.ts';

let upstream: Server;
let proxy: DroppingProxy;
let landed: string[];

beforeEach(async () => {
  landed = [];
  upstream = createServer(async (request, response) => {
    landed.push(await text(request));
    response.setHeader('content-type', 'application/x-amz-json-1.0');
    response.end('{"TableNames":["upstream"]}');
  }).listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  proxy = await startDroppingProxy(`http://127.0.0.1:${(upstream.address() as AddressInfo).port}`);
});

afterEach(async () => {
  await proxy.stop();
  upstream.close();
});

async function send(body: string, target = 'Api.Write'): Promise<string> {
  const response = await fetch(proxy.endpoint, { method: 'POST', headers: { 'x-amz-target': target }, body });
  return `${response.status} ${await response.text()}`;
}

test('an untouched call passes through and is seen', async () => {
  expect(await send('a')).toBe('200 {"TableNames":["upstream"]}');
  expect(landed).toEqual(['a']);
  expect(proxy.requests).toEqual([{ target: 'Api.Write', body: 'a' }]);
});

test('a dropped reply fails the caller after the write has landed, once', async () => {
  proxy.dropNextReply();
  await expect(send('a')).rejects.toThrow();
  expect(landed).toEqual(['a']);
  expect(await send('b')).toContain('200');
});

test('a dropped request never lands, as many times as asked', async () => {
  proxy.dropNextRequest(undefined, 2);
  await expect(send('a')).rejects.toThrow();
  await expect(send('b')).rejects.toThrow();
  expect(await send('c')).toContain('200');
  expect(landed).toEqual(['c']);
  expect(proxy.requests.map(({ body }) => body)).toEqual(['a', 'b', 'c']);
});

test('a fault waits for the call it was meant for', async () => {
  proxy.dropNextRequest(({ target, body }) => target === 'Api.Read' && body.includes('x'));
  expect(await send('x')).toContain('200');
  expect(await send('y', 'Api.Read')).toContain('200');
  await expect(send('x', 'Api.Read')).rejects.toThrow();
});

test('a delayed call lands although its caller has given up', async () => {
  proxy.delayNext(60);
  const impatient = fetch(proxy.endpoint, { method: 'POST', body: 'late', signal: AbortSignal.timeout(20) });
  await expect(impatient).rejects.toThrow();
  expect(landed).toEqual([]);
  await expect.poll(() => landed, { interval: 5 }).toEqual(['late']);
});

test('a call of an SDK client meets the error it is answered with, and its retry passes', async () => {
  const client = new DynamoDBClient({
    endpoint: proxy.endpoint,
    region: 'local',
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    maxAttempts: 1,
  });
  const isList = ({ target }: { target: string }) => target.endsWith('.ListTables');
  proxy.answerNext(400, { __type: 'com.amazonaws.dynamodb.v20120810#ThrottlingException' }, isList);
  await expect(client.send(new ListTablesCommand())).rejects.toMatchObject({ name: 'ThrottlingException' });
  expect(landed).toEqual([]);
  expect((await client.send(new ListTablesCommand())).TableNames).toEqual(['upstream']);
  client.destroy();
});

test('an upstream that is gone breaks the connection', async () => {
  upstream.close();
  await expect(send('a')).rejects.toThrow();
});

test('stopping ends the calls in the air', async () => {
  proxy.delayNext(60_000);
  const hanging = send('never');
  await expect.poll(() => proxy.requests.length, { interval: 5 }).toBe(1);
  await Promise.all([expect(hanging).rejects.toThrow(), proxy.stop()]);
  await expect(send('after')).rejects.toThrow();
});
