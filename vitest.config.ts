import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/support/overhear.ts'],
    testTimeout: 20_000,
    maxWorkers: 3,
  },
});
