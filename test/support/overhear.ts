import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Readable } from 'node:stream';
import { inspect } from 'node:util';
import { afterAll, afterEach, expect } from 'vitest';
import { eventChannelName } from '../../lib/observe/events.ts';
import { unprintableIn } from './unprintable.ts';

/**
 * Runs before every test file and listens to whatever is said while its tests run: the console, even where a
 * test muffles it, both streams, the output of child processes, and what the engine tells its observers, with
 * every error in it to the last cause. The test during which something unprintable was said fails.
 */
interface Leak {
  readonly where: string;
  readonly what: string;
  readonly test: string | undefined;
}

const leaks: Leak[] = [];

/** What leaks while `run` runs, for tests that leak on purpose. */
export async function leaksOf(run: () => unknown): Promise<readonly Omit<Leak, 'test'>[]> {
  const before = leaks.length;
  await run();
  return leaks.splice(before).map(({ where, what }) => ({ where, what }));
}

/** Looks away from the engine's events, for tests of what happens when nobody listens. */
export async function whileNobodyListens(run: () => unknown): Promise<void> {
  unsubscribe(eventChannelName, hearEvent);
  try {
    await run();
  } finally {
    subscribe(eventChannelName, hearEvent);
  }
}

function hear(where: string, text: string): void {
  for (const what of unprintableIn(text)) {
    leaks.push({ where, what, test: expect.getState().currentTestName });
  }
}

/** What ends every test: the test that leaked fails, by its name. */
export function failWhereItLeaked(): void {
  if (leaks.length === 0) return;
  const told = leaks.splice(0).map(({ where, what, test }) => `${where} said "${what}" during "${test}"`);
  throw new Error(`bodies, keys and receipt handles are never printed, and\n  ${told.join('\n  ')}`);
}

/** All there is to see in a value, as loggers print it. Some values throw at whoever looks at them. */
export function everythingIn(value: unknown): string {
  const loggers = [
    () => inspect(value, { depth: 12, maxStringLength: null, maxArrayLength: null }),
    () => JSON.stringify(value),
  ];
  return loggers
    .map((print) => {
      try {
        return print();
      } catch {
        return '';
      }
    })
    .join('\n');
}

function overhearConsole(): void {
  globalThis.console = new Proxy(console, {
    get(target, name, receiver) {
      const said: unknown = Reflect.get(target, name, receiver);
      if (typeof said !== 'function') return said;
      // A function of its own each time, and not a wrapper: what a test put there is still recognised as its mock.
      return new Proxy(said, {
        apply(log, self, words: readonly unknown[]) {
          for (const word of words)
            hear(`console.${String(name)}`, typeof word === 'string' ? word : everythingIn(word));
          return Reflect.apply(log, self === globalThis.console ? target : self, words);
        },
      });
    },
  });
}

function overhearStream(name: 'stdout' | 'stderr'): void {
  const stream = process[name];
  const write = stream.write;
  stream.write = ((...words: Parameters<typeof write>) => {
    hear(name, String(words[0]));
    return write.apply(stream, words);
  }) as typeof write;
}

/** Looks at what comes without taking it: a listener would start the flow before the test's own is there. */
function overhearChild(name: string, stream: Readable | null): void {
  if (stream === null) return;
  const { push } = stream;
  stream.push = (chunk: unknown, ...encoding) => {
    if (chunk !== null) hear(name, String(chunk));
    return push.call(stream, chunk, ...encoding);
  };
}

overhearConsole();
overhearStream('stdout');
overhearStream('stderr');
subscribe('child_process', (message) => {
  const { process: child } = message as { readonly process: ChildProcess };
  // It is told of before it has its streams.
  queueMicrotask(() => {
    overhearChild(`stdout of ${child.spawnfile}`, child.stdout);
    overhearChild(`stderr of ${child.spawnfile}`, child.stderr);
  });
});
const hearEvent = (event: unknown) => hear('an event', everythingIn(event));
subscribe(eventChannelName, hearEvent);

afterEach(failWhereItLeaked);
afterAll(failWhereItLeaked);
