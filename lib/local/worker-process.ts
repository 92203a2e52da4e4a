import { pathToFileURL } from 'node:url';
import type { RemoteError, StepMessage } from './events.ts';
import type { Invoke, WorkerWord } from './protocol.ts';

// One Lambda sandbox as a process: node worker-process <handler file> <export>. It loads the handler once,
// runs it for each event it is sent, one at a time, and knows nothing of queues.

type Handler = (event: unknown, context: unknown) => unknown;

const [file = '', exportName = ''] = process.argv.slice(2);

try {
  const handler = await loadHandler();
  process.on('message', (message: Invoke | StepMessage) => {
    if (message.type === 'runner:invoke') void answer(handler, message as Invoke);
  });
  tell({ type: 'runner:ready' });
} catch (error) {
  process.send?.({ type: 'runner:refused', error: describe(error) } satisfies WorkerWord, () =>
    process.exit(1),
  );
}

async function loadHandler(): Promise<Handler> {
  const loaded = (await import(pathToFileURL(file).href)) as Record<string, unknown>;
  // A CommonJS module's exports are seen by name only where Node can tell the names beforehand.
  const whole = loaded.default as Record<string, unknown> | undefined;
  const handler = loaded[exportName] ?? whole?.[exportName];
  if (typeof handler !== 'function') {
    throw new TypeError(
      `${file} exports no function ${exportName}; it exports ${Object.keys(loaded).join(', ') || 'nothing'}`,
    );
  }
  return handler as Handler;
}

async function answer(handler: Handler, { event, context, deadlineEpochMillis }: Invoke): Promise<void> {
  const getRemainingTimeInMillis = () => deadlineEpochMillis - Date.now();
  try {
    const result = await handler(event, { ...context, getRemainingTimeInMillis });
    tell({ type: 'runner:answered', json: JSON.stringify(result) ?? 'null' });
  } catch (error) {
    tell({ type: 'runner:threw', error: describe(error) });
  }
}

function tell(word: WorkerWord): void {
  process.send?.(word);
}

function describe(error: unknown): RemoteError {
  if (!(error instanceof Error)) return { name: typeof error, message: String(error) };
  const { name, message, stack } = error;
  return { name, message, ...(stack === undefined ? {} : { stack: withoutOurs(stack) }) };
}

/** The stack down to where this file called user code. */
function withoutOurs(stack: string): string {
  const lines = stack.split('\n');
  const ours = lines.findIndex((line) => line.includes(import.meta.url));
  return lines.slice(0, ours === -1 ? undefined : ours).join('\n');
}
