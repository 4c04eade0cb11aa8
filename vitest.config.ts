import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { Longest } from "./server/testing/longest.ts";
import { isSoak } from "./server/testing/soak.ts";
import { TestReporter } from "./server/testing/testReporter.ts";

/** Folder of graphs that ONNX Runtime has optimised, shared by all tests and the trainers that they start. */
const graphs = join(import.meta.dirname, "node_modules/.cache/arlarena-graphs");
const report = process.env["ARLARENA_TEST_REPORT"];

/** Setup file of the test projects whose test files share a process. */
const sameEnvironment = "server/testing/sameEnvironment.ts";

const tests = "**/*.test.{ts,tsx}";
/**
 * Tests of whole systems that take minutes and run only in `npm run soak`. In `npm test`, `crash`, `orchestrate` and
 * `local.test.ts` kill each process once; `places.test.ts` runs jobs on a real Slurm, and `launchers/slurm` tests
 * outages and arrays.
 */
const whole = [
  "server/engine/orchestrator/{branchKill,branchSwitch,chaos,slurm}.test.ts",
  "server/start/package.test.ts",
];
/** Test files whose long tests run in `npm run soak` (`isSoak`), and whose other tests run in `npm test`. */
const longer = [
  "prisma/migrate.test.ts",
  "server/engine/orchestrator/{clusterWalk,search}.test.ts",
  "server/engine/playground/players.test.ts",
  "server/engine/studies/recorded.test.ts",
  "trainer/environments/sweGym/{sweGym,tasks/bugs}.test.ts",
  "trainer/python/{differential,packages}.test.ts",
  "trainer/run/{branch,reproducibility,webgpu}.test.ts",
];
/** Test files that take many seconds each; they start first, so that none of them delays the end. */
const slow = [
  "server/engine/ingest/replayRun.test.ts",
  "server/engine/orchestrator/**/*.test.ts",
  "server/engine/launchers/ssh/*.test.ts",
  "server/engine/adapter/*.test.ts",
  "trainer/environments/episode.test.ts",
  "trainer/python/*.test.ts",
  "trainer/environments/{sweGym,textworld,tirMath,webshop,sokoban}/*.test.ts",
  "trainer/run/{branch,train,randomPoints,reproducibility,hostilePrograms}*.test.ts",
];
const database = ["app/api/**", "prisma/**", "server/{api,cli,db}/**", "server/engine/{ingest,trainers}/**"];
// Test files that share a process. The tests of `trainer/policy/hub` are excluded, because they set a proxy for all
// later requests of their process.
const shared = [
  ...database,
  "server/engine/{launchers/ray,models,processes,wheels}/**",
  "server/start/checking/**",
  "trainer/{objective,onnx}/**",
  "trainer/policy/!(hub)/**",
  "trainer/run/{acting,keeping,learning}/**",
]
  .map((room) => `${room}/${tests}`)
  .concat("server/engine/playground/{propose,recent,replay}.test.ts", "trainer/policy/*.test.ts");
const pure = ["app/**", "packages/**", "server/{config,domain}/**", "trainer/{environments,graph,spec}/**"].map(
  (room) => `${room}/${tests}`,
);
// Test files that need their own process, because they start programs and sockets, or native sessions that use a
// whole thread.
const native = ["{packages,server,trainer,bench}/**"].map((room) => `${room}/${tests}`);

export default defineConfig({
  test: {
    // At least four workers run, even on two cores, because the two longest files mostly wait for grace periods and a
    // cluster.
    maxWorkers: Math.max(4, availableParallelism()),
    sequence: { sequencer: Longest },
    // Modules are transformed once for all projects and later runs, not once per project.
    experimental: { fsModuleCache: true },
    reporters: report === undefined ? ["default"] : [["default", { summary: false }], new TestReporter(report)],
    globalSetup: ["server/db/testing/globalSetup.ts"],
    projects: isSoak
      ? [project("soak", { include: [...whole, ...longer] })]
      : [
          project("slow", { include: slow, exclude: whole }),
          // Modules are loaded once per process, not once per file, which saves a third of the processor time. Each
          // file restores global state.
          project("shared", { include: shared, exclude: slow, isolate: false, setupFiles: [sameEnvironment] }),
          project("process", { include: native, exclude: [...slow, ...shared, ...pure, ...whole] }),
          // Modules are loaded once per thread, not once per file. Some tests search thousands of generated runs: this
          // takes five seconds on an idle machine, 30 and more on a busy one.
          project("pure", {
            include: pure,
            exclude: [...slow, ...shared],
            pool: "threads",
            isolate: false,
            setupFiles: [sameEnvironment],
            testTimeout: 120_000,
            hookTimeout: 120_000,
          }),
        ],
  },
});

type TestOptions = NonNullable<TestProjectInlineConfiguration["test"]>;

function project(name: string, options: TestOptions): TestProjectInlineConfiguration {
  // The limit detects tests that hang, not slow tests: a shared machine may take five times as long as an idle one.
  const env = { ARLARENA_GRAPH_CACHE: graphs };
  return { test: { name, env, retry: 0, testTimeout: 300_000, hookTimeout: 300_000, ...options } };
}
