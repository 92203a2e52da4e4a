import { defineConfig } from 'vitest/config';

// Beside `npm test`, because it needs a build and a registry: `npm run test:package`.
export default defineConfig({
  test: { include: ['test/package/*.spec.ts'], testTimeout: 180_000, hookTimeout: 300_000 },
});
