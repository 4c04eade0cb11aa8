import { defineConfig, devices } from "@playwright/test";
import { findChromium } from "./server/start/chromium.ts";

const executablePath = findChromium();
const quietFlags = [
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
];
/** Studios of their own with four trainers or a machine to train on: one at a time, beside tests of pages. */
const machines = ["slurm", "nodes", "survival"].map((name) => `${name}.spec.ts`);

export default defineConfig({
  testDir: "e2e",
  outputDir: "test-results",
  workers: 2,
  fullyParallel: false,
  retries: 0,
  // For what hangs, not for what is slow: a shared machine may take five times as long as one that is idle.
  timeout: 300_000,
  expect: { timeout: 45_000 },
  reporter: [["list"]],
  projects: [
    { name: "machines", testMatch: machines, workers: 1 },
    { name: "pages", testIgnore: machines },
  ],
  use: {
    ...devices["Desktop Chrome"],
    viewport: { width: 1440, height: 900 },
    trace: { mode: "retain-on-failure", screenshots: false, snapshots: false },
    launchOptions: {
      ...(executablePath ? { executablePath } : {}),
      // Chromium's sandbox does not work as root.
      args: process.getuid?.() === 0 ? ["--no-sandbox", ...quietFlags] : quietFlags,
    },
  },
});
