import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["{app,server,trainer,prisma,bench}/**/*.test.{ts,tsx}"],
    // For what hangs, not for what is slow: a shared machine may take five times as long as one that is idle.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // Two cores, and several suites start PostgreSQL or ONNX Runtime: two workers keep both busy without thrashing.
    maxWorkers: 2,
    retry: 0,
    globalSetup: ["server/db/testing/globalSetup.ts"],
  },
});
