import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import * as nodeModule from 'node:module';
import {
  eventChannelName,
  type OnceEvent,
  type OutcomeEventType,
  type StepEventType,
} from '../../observe/events.ts';
import { type Blow, fuseOf, type ReplyOf, starts } from './points.ts';
import { type CrashStep, isArming, isLullaby, type OutcomeStep, type SleepStep } from './words.ts';

// Loaded into every worker before the handler: node --import <this file>. It tells the harness what becomes of
// each message, and ends the process at the points it is armed with. It hears of both on Node's diagnostics
// channels, the product's own and those of Node's HTTP clients, so it works for any handler.

/** Something that ends the process after so many more replies to the code it follows. */
interface Fuse {
  readonly blow: Blow;
  readonly of: ReplyOf;
  repliesLeft: number;
}

const steps: ReadonlySet<string> = new Set<StepEventType>([
  'claiming',
  'starting',
  'settling',
  'parking',
  'sending',
  'answering',
]);

let armed: readonly Blow[] = [];
let sleepsOver: string | undefined;
const following = new AsyncLocalStorage<Fuse>();
const requests = new WeakMap<object, Fuse>();

subscribe(eventChannelName, (message) => {
  const event = message as OnceEvent;
  if (!steps.has(event.type)) report(event);
  if (event.type === 'settling' && event.messageId === sleepsOver) fallAsleep();
  const blow = armed.find((one) => starts(one, event));
  if (blow !== undefined) light(blow);
});

subscribe('http.client.request.start', (message) => {
  const { request } = message as { request: ClientRequest };
  follow(request, request.getHeader('x-amz-target') === undefined ? 'elsewhere' : 'aws');
});
subscribe('http.client.response.finish', (message) => burn((message as { request: object }).request));
subscribe('undici:request:create', (message) =>
  follow((message as { request: object }).request, 'elsewhere'),
);
subscribe('undici:request:headers', (message) => burn((message as { request: object }).request));

process.on('message', (message) => {
  if (isArming(message)) armed = message.armed;
  if (isLullaby(message)) sleepsOver = message.sleepsOver;
});

// Node keeps what it compiled when a process ends by itself, which here hardly any does. Node 22.0 has no say in it.
setTimeout(() => nodeModule.flushCompileCache?.(), 300).unref();

function light(blow: Blow): void {
  const { replies, of, delayMillis } = fuseOf(blow);
  if (delayMillis > 0) setTimeout(crash, delayMillis, blow);
  else if (replies === 0) crash(blow);
  else following.enterWith({ blow, of, repliesLeft: replies });
}

/** Only requests of the code that told the event count, not those of its neighbours in the process. */
function follow(request: object, of: ReplyOf): void {
  const fuse = following.getStore();
  if (fuse?.of === of) requests.set(request, fuse);
}

function burn(request: object): void {
  const fuse = requests.get(request);
  if (fuse === undefined) return;
  fuse.repliesLeft -= 1;
  if (fuse.repliesLeft === 0) crash(fuse.blow);
}

/** Nothing of this process runs after that, not even a handler of its exit. */
function crash(blow: Blow): void {
  // Used up meanwhile, by this worker's neighbours.
  if (!armed.some(({ point }) => point === blow.point)) return;
  process.send?.({ type: 'sqs-once', crashed: blow.point } satisfies CrashStep);
  process.kill(process.pid, 'SIGKILL');
}

/** Work is done and nobody knows: the moment at which it is worst to be overtaken. */
function fallAsleep(): void {
  sleepsOver = undefined;
  process.send?.({ type: 'sqs-once', asleep: true } satisfies SleepStep);
  process.kill(process.pid, 'SIGSTOP');
}

function report({ type, messageId, attempt, fence, reason, error }: OnceEvent): void {
  const step: OutcomeStep = {
    type: 'sqs-once',
    event: type as OutcomeEventType,
    at: Date.now(),
    ...(messageId === undefined ? {} : { messageId }),
    ...(attempt === undefined ? {} : { attempt }),
    ...(fence === undefined ? {} : { fence }),
    ...(reason === undefined ? {} : { reason }),
    ...(error === undefined ? {} : { error: `${error.name}: ${error.message}` }),
  };
  process.send?.(step);
}
