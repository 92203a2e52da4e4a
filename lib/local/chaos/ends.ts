/** What has to be done in the end, the last thing begun first. */
export interface Ends {
  add(end: () => unknown): void;
  /** Does all of it, once, even when a part fails; rejects with the first failure. */
  run(): Promise<void>;
}

export function createEnds(): Ends {
  const ends: (() => unknown)[] = [];
  return {
    add: (end) => void ends.push(end),
    async run() {
      const failures: unknown[] = [];
      for (const end of ends.splice(0).reverse()) {
        try {
          await end();
        } catch (error) {
          failures.push(error);
        }
      }
      if (failures.length > 0) throw failures[0];
    },
  };
}
