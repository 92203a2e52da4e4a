import { Listr } from 'listr2';
import { visible } from './visible.ts';

/** Says how many are through, and what there is to say now. */
export type Advance = (done: number, text: string) => void;

const barWidth = 30;

/** Does a piece of work under a bar. On a terminal only, and not where a document is asked for. */
export async function withProgress<Result>(
  title: string,
  total: number,
  { json }: { readonly json?: true },
  work: (advance: Advance) => Promise<Result>,
): Promise<Result> {
  if (json || !process.stdout.isTTY || total === 0) return work(() => {});
  const { promise, resolve } = Promise.withResolvers<Result>();
  const list = new Listr(
    {
      title: visible(title),
      task: async (_, task) =>
        resolve(
          await work((done, text) => {
            task.output = `${bar(done / total)} ${done} of ${total}  ${text}`;
          }),
        ),
    },
    // Ctrl-C is ours: what is under way is ended and the rest given back.
    { registerSignalListeners: false },
  );
  await list.run();
  return promise;
}

function bar(share: number): string {
  const full = Math.min(barWidth, Math.round(share * barWidth));
  return '━'.repeat(full) + '─'.repeat(barWidth - full);
}
