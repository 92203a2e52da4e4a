import { Listr } from 'listr2';

/** On a terminal a line changes in place; elsewhere each is a line of its own, so there are few. */
const pauseMillis = process.stdout.isTTY ? 100 : 5_000;

/** Does a piece of work, with a line that tells how far it is. */
export async function step<Result>(
  title: string,
  work: () => Promise<Result>,
  stand?: () => string,
): Promise<Result> {
  const { promise, resolve } = Promise.withResolvers<Result>();
  const list = new Listr({
    title,
    async task(_, task) {
      const timer = setInterval(() => {
        if (stand !== undefined) task.output = stand();
      }, pauseMillis);
      try {
        resolve(await work());
      } finally {
        clearInterval(timer);
      }
    },
  });
  await list.run();
  return promise;
}
