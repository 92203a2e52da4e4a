/** How much memory this process had while it ran, in megabytes, by quarters of the time. */
export interface MemoryUse {
  /** The most that was resident. */
  readonly resident: readonly number[];
  /** The least the heap came down to: what is really kept, between two collections of garbage. */
  readonly kept: readonly number[];
}

export interface MemoryWatch {
  use(): MemoryUse;
  stop(): void;
}

const sampleMillis = 250;
const bytesPerMegabyte = 1_048_576;

export function watchMemory(): MemoryWatch {
  const samples: NodeJS.MemoryUsage[] = [];
  const take = () => samples.push(process.memoryUsage());
  const timer = setInterval(take, sampleMillis);
  timer.unref();
  take();
  return {
    use() {
      const quarters = inQuarters(samples);
      const megabytes = (bytes: number) => Math.round(bytes / bytesPerMegabyte);
      return {
        resident: quarters.map((part) => megabytes(Math.max(...part.map(({ rss }) => rss)))),
        kept: quarters.map((part) => megabytes(Math.min(...part.map(({ heapUsed }) => heapUsed)))),
      };
    },
    stop: () => clearInterval(timer),
  };
}

function inQuarters<One>(all: readonly One[]): One[][] {
  const size = Math.ceil(all.length / 4);
  return [0, 1, 2, 3]
    .map((quarter) => all.slice(quarter * size, (quarter + 1) * size))
    .filter((part) => part.length > 0);
}
