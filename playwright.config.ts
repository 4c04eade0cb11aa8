import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig, devices } from "@playwright/test";
import { findFreePort } from "./server/config/freePort.ts";
import { findChromium } from "./server/start/chromium.ts";

// Each worker reads this file again, and so do linters: nothing is made here, and what was chosen once is handed on in the environment.
process.env["ARLARENA_E2E_HOME"] ??= join(tmpdir(), `arlarena-e2e-${process.pid}`);
process.env["ARLARENA_E2E_PORT"] ??= String(await findFreePort());
const home = process.env["ARLARENA_E2E_HOME"];
const port = process.env["ARLARENA_E2E_PORT"];
const executablePath = findChromium();
const quietFlags = [
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
];

export default defineConfig({
  testDir: "e2e",
  outputDir: "test-results",
  workers: 1,
  fullyParallel: false,
  retries: 0,
  // For what hangs, not for what is slow: a shared machine may take five times as long as one that is idle.
  timeout: 300_000,
  expect: { timeout: 45_000 },
  reporter: [["list"]],
  globalTeardown: "./e2e/stack/removeHome.ts",
  use: {
    ...devices["Desktop Chrome"],
    viewport: { width: 1440, height: 900 },
    baseURL: `http://127.0.0.1:${port}`,
    trace: { mode: "retain-on-failure", screenshots: false },
    launchOptions: {
      ...(executablePath ? { executablePath } : {}),
      // Chromium's sandbox does not work as root.
      args: process.getuid?.() === 0 ? ["--no-sandbox", ...quietFlags] : quietFlags,
    },
  },
  // The stack that a user gets: the supervisor with a database, an orchestrator and a state folder of its own.
  webServer: {
    command: `node server/start/start.mjs --host 127.0.0.1 --port ${port} --home "${home}"`,
    url: `http://127.0.0.1:${port}/sign-in`,
    // As many slots everywhere: some runs wait, however many cores there are.
    env: { DATABASE_URL: "", ARLARENA_SLOTS: "2" },
    timeout: 600_000,
    stdout: "pipe",
    gracefulShutdown: { signal: "SIGINT", timeout: 20_000 },
  },
});
