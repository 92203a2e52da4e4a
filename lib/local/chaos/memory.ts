/** How much memory this process had, sampled while it ran. */
export interface MemoryWatch {
  /** Resident megabytes, highest of each quarter of the run. */
  quarters(): readonly number[];
  stop(): void;
}

const sampleMillis = 500;
const bytesPerMegabyte = 1_048_576;

export function watchMemory(): MemoryWatch {
  const samples: number[] = [];
  const take = () => samples.push(Math.round(process.memoryUsage.rss() / bytesPerMegabyte));
  const timer = setInterval(take, sampleMillis);
  timer.unref();
  take();
  return {
    quarters() {
      const size = Math.ceil(samples.length / 4);
      return [0, 1, 2, 3]
        .map((quarter) => samples.slice(quarter * size, (quarter + 1) * size))
        .filter((part) => part.length > 0)
        .map((part) => Math.max(...part));
    },
    stop: () => clearInterval(timer),
  };
}
