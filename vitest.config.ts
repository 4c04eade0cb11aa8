import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { Longest } from "./server/testing/longest.ts";
import { TestReporter } from "./server/testing/testReporter.ts";

/** Graphs optimised by ONNX Runtime, by content, for all tests and the trainers that they start. */
const graphs = join(import.meta.dirname, "node_modules/.cache/arlarena-graphs");
const report = process.env["ARLARENA_TEST_REPORT"];

const tests = "**/*.test.{ts,tsx}";
/** Files of many seconds each: they begin first, so that none of them is waited for at the end. */
const slow = [
  "server/ingest/replayRun.test.ts",
  "server/orchestrator/**/*.test.ts",
  "server/launchers/ssh/*.test.ts",
  "server/adapter/*.test.ts",
  "trainer/environments/episode.test.ts",
  "trainer/python/*.test.ts",
  "trainer/environments/{sweGym,textworld,tirMath,webshop,sokoban}/*.test.ts",
  "trainer/run/{train,randomPoints,reproducibility,hostilePrograms}*.test.ts",
];
const database = ["app/api/**", "prisma/**", "server/{api,cli,db,ingest,tracking}/**"].map(
  (room) => `${room}/${tests}`,
);
const pure = ["app/**", "server/{config,domain}/**", "trainer/{environments,graph,spec}/**"].map(
  (room) => `${room}/${tests}`,
);
// Programs and sockets of their own, or native sessions whose arithmetic is a whole thread's (`ortOptions`).
const native = ["{server,trainer,bench}/**"].map((room) => `${room}/${tests}`);

export default defineConfig({
  test: {
    // On two cores four: the two longest files wait for grace periods and a cluster nearly all the time.
    maxWorkers: Math.max(4, availableParallelism()),
    sequence: { sequencer: Longest },
    reporters: report === undefined ? ["default"] : [["default", { summary: false }], new TestReporter(report)],
    globalSetup: ["server/db/testing/globalSetup.ts"],
    projects: [
      project("slow", { include: slow }),
      // Modules are read once a process, not once a file: a third less processor time. What is global, each file puts back.
      project("database", { include: database, exclude: slow, isolate: false }),
      project("process", { include: native, exclude: [...slow, ...database, ...pure] }),
      // Modules are read once a thread, not once a file. Some search thousands of made-up runs: five seconds alone, 30 and
      // more where every core has a dozen programs.
      project("pure", {
        include: pure,
        exclude: [...slow, ...database],
        pool: "threads",
        isolate: false,
        testTimeout: 120_000,
        hookTimeout: 120_000,
      }),
    ],
  },
});

type TestOptions = NonNullable<TestProjectInlineConfiguration["test"]>;

function project(name: string, options: TestOptions): TestProjectInlineConfiguration {
  // For what hangs, not for what is slow: a shared machine may take five times as long as one that is idle.
  const env = { ARLARENA_GRAPH_CACHE: graphs };
  return { test: { name, env, retry: 0, testTimeout: 300_000, hookTimeout: 300_000, ...options } };
}
