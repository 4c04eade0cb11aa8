import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { Longest } from "./server/testing/longest.ts";
import { isSoak, listTestFiles } from "./server/testing/soak.ts";
import { TestReporter } from "./server/testing/testReporter.ts";

/** Folder of graphs that ONNX Runtime has optimised, shared by all tests and the trainers that they start. */
const graphs = join(import.meta.dirname, "node_modules/.cache/arlarena-graphs");
const report = process.env["ARLARENA_TEST_REPORT"];

/** Setup file of the test projects whose test files share a process. */
const sameEnvironment = "server/testing/sameEnvironment.ts";

const tests = "**/*.test.{ts,tsx}";
const { all, soak, onlySoak } = listTestFiles(import.meta.dirname);
/** Test files without a test of this run. */
const unused = isSoak ? all.filter((path) => !soak.includes(path)) : onlySoak;
/** Test files that take many seconds each; they start first, so that none of them delays the end. */
const slow = [
  "server/engine/orchestrator/**/*.test.ts",
  "server/engine/launchers/ssh/*.test.ts",
  "trainer/python/*.test.ts",
  "trainer/run/{branch,train,randomPoints,reproducibility,hostilePrograms}*.test.ts",
];
const database = [
  "app/{api,developers}/**",
  "prisma/**",
  "server/{api,cli,db}/**",
  "server/engine/{ingest,trainers}/**",
];
// Test files that share a process. The tests of `trainer/policy/hub` are excluded, because they set a proxy for all
// later requests of their process.
const shared = [
  // Native code of theirs ends a process when a thread with it ends.
  "trainer/environments/{sweGym,textworld,tirMath,webshop,sokoban}",
  ...database,
  "server/engine/{adapter,launchers/ray,models,processes,studies,wheels}/**",
  "server/start/{checking,conformance}/**",
  "server/testing/**",
  "trainer/{objective,onnx}/**",
  "trainer/policy/!(hub)/**",
  "trainer/run/{acting,keeping,learning}/**",
]
  .map((room) => `${room}/${tests}`)
  .concat(
    "server/engine/playground/{propose,recent,replay}.test.ts",
    "trainer/environments/episode.test.ts",
    "trainer/policy/*.test.ts",
  );
const pure = ["app/**", "packages/**", "server/{config,domain}/**", "trainer/{environments,graph,spec}/**"].map(
  (room) => `${room}/${tests}`,
);
// Test files that need their own process, because they start programs and sockets, or native sessions that use a
// whole thread.
const native = ["{packages,server,trainer,bench}/**"].map((room) => `${room}/${tests}`);

/** Vitest reads the filter of tags from each project, although its types name it at the top only. */
const chosen = { tags: [{ name: "soak" }], tagsFilter: [isSoak ? "soak" : "!soak"] };

export default defineConfig({
  test: {
    // At least four workers run, even on two cores, because the two longest files mostly wait for grace periods and a
    // cluster.
    maxWorkers: Math.max(4, availableParallelism()),
    sequence: { sequencer: Longest },
    // Modules are transformed once for all projects and later runs, not once per project.
    experimental: { fsModuleCache: true },
    reporters: report === undefined ? ["default"] : [["default", { summary: false }], new TestReporter(report)],
    globalSetup: ["server/db/testing/globalSetup.ts", "server/start/testing/bundleProcesses.ts"],
    projects: [
      project("slow", { include: slow, exclude: unused }),
      // Modules are loaded once per process, not once per file, which saves a third of the processor time. Each file
      // restores global state.
      project("shared", {
        include: shared,
        exclude: [...slow, ...unused],
        isolate: false,
        setupFiles: [sameEnvironment],
      }),
      project("process", { include: native, exclude: [...slow, ...shared, ...pure, ...unused] }),
      // Modules are loaded once per thread, not once per file.
      project("pure", {
        include: pure,
        exclude: [...slow, ...shared, ...unused],
        pool: "threads",
        isolate: false,
        setupFiles: [sameEnvironment],
      }),
    ],
  },
});

type TestOptions = NonNullable<TestProjectInlineConfiguration["test"]>;

function project(name: string, options: TestOptions): TestProjectInlineConfiguration {
  // The limits detect tests that hang, not slow tests: a shared machine may take ten times as long as an idle one.
  const env = { ARLARENA_GRAPH_CACHE: graphs };
  const limits = { testTimeout: 300_000, hookTimeout: 300_000, expect: { poll: { timeout: 120_000 } } };
  return { test: { name, env, retry: 0, ...limits, ...chosen, ...options } };
}
