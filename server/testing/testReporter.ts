import { writeFileSync } from "node:fs";
import type { Reporter, SerializedError, TestCase, TestModule } from "vitest/node";
import type { TestReport } from "#server/start/checking/runTests.ts";
import { type Failure, firstLine } from "#server/start/checking/tally.ts";
import { isSoak } from "./soak.ts";
import { reasonOf } from "./reasonOf.ts";

/**
 * Vitest reporter that writes results with the reason of every skipped test, which vitest's own JSON reporter omits.
 */
export class TestReporter implements Reporter {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    // Vitest reports the tests that the filter of tags leaves out as skipped.
    const tests = modules
      .flatMap((module) => [...module.children.allTests()])
      .filter((test) => test.tags.includes("soak") === isSoak);
    const numOf = (state: string): number => tests.filter((test) => test.result().state === state).length;
    const skipped = tests.filter((test) => test.result().state === "skipped");
    const failures = [
      ...tests.flatMap(failureOf),
      ...modules.filter(failedAsAWhole).map((module) => ({
        name: module.relativeModuleId,
        error: messageOf(module.errors()),
      })),
      ...unhandled.map((error) => ({ name: "outside any test", error: messageOf([error]) })),
    ];
    const report: TestReport = {
      counts: { passed: numOf("passed"), failed: failures.length, skipped: skipped.length },
      failures,
      files: modules.map((module) => ({ file: module.relativeModuleId, ms: durationOf(module) })),
      skips: skipped.map((test) => ({
        name: `${test.module.relativeModuleId}: ${test.fullName}`,
        reason: reasonOf(test.fullName, noteOf(test)),
      })),
    };
    writeFileSync(this.path, JSON.stringify(report));
  }
}

function failureOf(test: TestCase): Failure[] {
  const result = test.result();
  if (result.state !== "failed") return [];
  return [{ name: `${test.module.relativeModuleId}: ${test.fullName}`, error: messageOf(result.errors) }];
}

function messageOf(errors: readonly { message: string }[]): string {
  return firstLine(errors[0]?.message ?? "no error reported");
}

/**
 * True for a test file that cannot be loaded or whose hooks fail, in which case vitest reports no test of it as
 * failed.
 */
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
