import { defineConfig, devices } from "@playwright/test";
import { findChromium } from "./server/start/chromium.ts";
import { isSoak } from "./server/testing/soak.ts";

const executablePath = findChromium();
const quietFlags = [
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
];
/** Test files that start studios with several trainers or nodes, which run one at a time. */
const machines = ["slurm", "nodes", "survival"].map((name) => `${name}.spec.ts`);
/** Tag of the main ways through the studio, which `npm test` runs; `npm run soak` runs all other tests. */
const flow = /@flow/;

export default defineConfig({
  testDir: "e2e",
  outputDir: "test-results",
  workers: 2,
  fullyParallel: false,
  retries: 0,
  // The time limit detects tests that hang, not slow tests: a shared machine may take five times as long as an idle
  // one.
  timeout: 300_000,
  expect: { timeout: 90_000 },
  reporter: [["list"]],
  projects: isSoak
    ? [
        { name: "machines", testMatch: machines, workers: 1 },
        { name: "pages", testIgnore: machines, grepInvert: flow },
      ]
    : [{ name: "pages", grep: flow }],
  use: {
    ...devices["Desktop Chrome"],
    viewport: { width: 1440, height: 900 },
    navigationTimeout: 120_000,
    trace: { mode: "retain-on-failure", screenshots: false, snapshots: false },
    launchOptions: {
      ...(executablePath ? { executablePath } : {}),
      // Chromium's sandbox does not work as root.
      args: process.getuid?.() === 0 ? ["--no-sandbox", ...quietFlags] : quietFlags,
    },
  },
});
