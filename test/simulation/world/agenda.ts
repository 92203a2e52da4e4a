/** When worlds begin. */
export const startMillis = 1_800_000_000_000;

interface Entry {
  readonly atMillis: number;
  readonly order: number;
  task: (() => void | Promise<void>) | undefined;
}

/** The world's true time, and what is going to happen in it. */
export class Agenda {
  nowMillis = startMillis;
  #order = 0;
  readonly #heap: Entry[] = [];

  /** Lets `task` happen after `millis`; the answer cancels it. */
  after(millis: number, task: () => void | Promise<void>): () => void {
    this.#order += 1;
    const entry: Entry = { atMillis: this.nowMillis + Math.max(0, millis), order: this.#order, task };
    this.#push(entry);
    return () => {
      entry.task = undefined;
    };
  }

  /** How many things happened so far. */
  get steps(): number {
    return this.#steps;
  }
  #steps = 0;

  /**
   * Lets one thing happen after the other, each followed by all that needs no time, until nothing is left or
   * `isOver` says so.
   */
  async run(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const entry = this.#pop();
      if (entry === undefined) return;
      if (entry.task === undefined) continue;
      this.nowMillis = entry.atMillis;
      this.#steps += 1;
      await entry.task();
      await everythingElse();
    }
  }

  #push(entry: Entry): void {
    const heap = this.#heap;
    let place = heap.length;
    heap.push(entry);
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (!isBefore(entry, heap[parent] as Entry)) break;
      heap[place] = heap[parent] as Entry;
      place = parent;
    }
    heap[place] = entry;
  }

  #pop(): Entry | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || first === last) return first;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= heap.length) break;
      const right = heap[child + 1];
      if (right !== undefined && isBefore(right, heap[child] as Entry)) child += 1;
      if (!isBefore(heap[child] as Entry, last)) break;
      heap[place] = heap[child] as Entry;
      place = child;
    }
    heap[place] = last;
    return first;
  }
}

function isBefore(one: Entry, other: Entry): boolean {
  return one.atMillis < other.atMillis || (one.atMillis === other.atMillis && one.order < other.order);
}

/** Promises settle one by one before the next turn of the event loop; nothing in a world waits for more. */
function everythingElse(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
