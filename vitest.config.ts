import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["{app,server,trainer,prisma,bench}/**/*.test.{ts,tsx}"],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // Two cores, and several suites start PostgreSQL or ONNX Runtime: two workers keep both busy without thrashing.
    maxWorkers: 2,
    retry: 0,
    globalSetup: ["server/db/testing/globalSetup.ts"],
  },
});
