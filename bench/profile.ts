import { Session } from 'node:inspector/promises';

/** Whose code a processor's time was spent in. */
const owners: readonly (readonly [string, RegExp])[] = [
  ['the SDK', /node_modules\/@(aws-sdk|smithy)\//],
  ['Powertools', /node_modules\/@aws-lambda-powertools\//],
  ['sqs-once', /\/lib\//],
];

/** Parts of the processor's time, largest first, while `work` runs: by whose code it was spent in. */
export async function profileOf(work: () => Promise<void>): Promise<string> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.start');
    await work();
    const { profile } = await session.post('Profiler.stop');
    const microsOf = new Map<number, number>();
    for (const [place, node] of (profile.samples ?? []).entries()) {
      microsOf.set(node, (microsOf.get(node) ?? 0) + (profile.timeDeltas?.[place] ?? 0));
    }
    const shares = new Map<string, number>();
    let all = 0;
    for (const { id, callFrame } of profile.nodes) {
      if (callFrame.functionName === '(idle)') continue;
      const micros = microsOf.get(id) ?? 0;
      const owner = ownerOf(callFrame.functionName, callFrame.url);
      shares.set(owner, (shares.get(owner) ?? 0) + micros);
      all += micros;
    }
    return [...shares]
      .sort(([, left], [, right]) => right - left)
      .filter(([, micros]) => micros >= all / 100)
      .map(([owner, micros]) => `${owner} ${Math.round((100 * micros) / all)} %`)
      .join(', ');
  } finally {
    session.disconnect();
  }
}

function ownerOf(functionName: string, url: string): string {
  if (functionName === '(garbage collector)') return 'garbage collection';
  if (url.startsWith('node:')) return 'Node.js';
  if (url === '') return 'V8 and the system';
  return owners.find(([, pattern]) => pattern.test(url))?.[0] ?? 'everything else';
}
