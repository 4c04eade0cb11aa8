import { writeFileSync } from "node:fs";
import type { Reporter, TestCase, TestModule } from "vitest/node";
import type { TestReport } from "../start/checking/runTests.ts";
import { reasonOf } from "./reasonOf.ts";

/** Writes down what vitest found, with the reason of every skip, which its own JSON leaves out. */
export class TestReporter implements Reporter {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const numOf = (state: string): number => tests.filter((test) => test.result().state === state).length;
    const skipped = tests.filter((test) => test.result().state === "skipped");
    const report: TestReport = {
      counts: {
        passed: numOf("passed"),
        failed: numOf("failed") + modules.filter(failedAsAWhole).length,
        skipped: skipped.length,
      },
      files: modules.map((module) => ({ file: module.relativeModuleId, ms: durationOf(module) })),
      skips: skipped.map((test) => ({
        name: `${test.module.relativeModuleId}: ${test.fullName}`,
        reason: reasonOf(test.fullName, noteOf(test)),
      })),
    };
    writeFileSync(this.path, JSON.stringify(report));
  }
}

/** A file that cannot be loaded, or whose hooks fail, has no test to fail. */
function failedAsAWhole(module: TestModule): boolean {
  return !module.ok() && ![...module.children.allTests("failed")].length;
}

function durationOf(module: TestModule): number {
  const { duration, collectDuration, setupDuration, prepareDuration, environmentSetupDuration } = module.diagnostic();
  return duration + collectDuration + setupDuration + prepareDuration + environmentSetupDuration;
}

function noteOf(test: TestCase): string | undefined {
  const result = test.result();
  return result.state === "skipped" ? result.note : undefined;
}
