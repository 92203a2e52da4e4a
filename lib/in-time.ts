/** What is to be done when a promise that outlives its waiters is over, such as an invocation's time. */
const tasksAtEnd = new WeakMap<Promise<void>, Set<() => void>>();

/**
 * Runs `task` when `end` comes; the answer cancels it and leaves nothing behind. A `then` on `end` cannot be
 * taken back: an event of ten thousand messages would hang everything it did there until the last one is done.
 */
export function whenOver(end: Promise<void>, task: () => void): () => void {
  const tasks = tasksAtEnd.get(end) ?? newTasks(end);
  tasks.add(task);
  return () => void tasks.delete(task);
}

function newTasks(end: Promise<void>): Set<() => void> {
  const tasks = new Set<() => void>();
  tasksAtEnd.set(end, tasks);
  void end.then(() => {
    tasksAtEnd.delete(end);
    for (const task of tasks) task();
  });
  return tasks;
}

/** What `work` comes to, or `late` when `end` comes first. */
export function inTime<Result, Late>(
  work: Promise<Result>,
  end: Promise<void>,
  late: Late,
): Promise<Result | Late> {
  return new Promise((resolve, reject) => {
    const cancel = whenOver(end, () => resolve(late));
    work.then(
      (result) => {
        cancel();
        resolve(result);
      },
      (error) => {
        cancel();
        reject(error);
      },
    );
  });
}
