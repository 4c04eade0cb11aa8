import type { Programs } from "../../programs.ts";
import type { Task } from "../tasks/task.ts";
import { relativePath, type Files, type Workspace } from "../workspace.ts";
import { countPassed, runTests, type TestResult } from "./runTests.ts";

export type Grader = {
  /** Runs the test files in the policy's working tree, including the policy's changes to these files. */
  readonly test: (workspace: Workspace, testFiles: readonly string[]) => readonly TestResult[];
  /** Returns the fraction of the task's tests that pass. The policy's changes to the test files do not count. */
  readonly passRatio: (task: Task, files: Files) => number;
};

/** Makes a grader of repairs. Test runs are cached, because the episodes of a group make the same edits. */
export function makeGrader(python: Programs["python"]): Grader {
  const remembered = new Map<string, readonly TestResult[]>();
  const run = (files: Files, testFiles: readonly string[]): readonly TestResult[] => {
    const key = JSON.stringify([testFiles, files]);
    const known = remembered.get(key);
    if (known) return known;
    const sources = Object.fromEntries(Object.entries(files).map(([path, text]) => [relativePath(path), text]));
    const results = runTests(python, sources, testFiles.map(relativePath));
    if (remembered.size >= maxRemembered) remembered.clear();
    remembered.set(key, results);
    return results;
  };
  return {
    test: ({ files }, testFiles) => run(files, testFiles),
    passRatio(task, files) {
      const tests = [...task.failToPass, ...task.passToPass];
      const ofTask = Object.entries(task.files).filter(([path]) => isTest(path));
      const results = run(
        { ...files, ...Object.fromEntries(ofTask) },
        ofTask.map(([path]) => path),
      );
      return countPassed(results, tests) / tests.length;
    },
  };
}

const maxRemembered = 5_000;

/** True for the path of a file that pytest collects as tests. */
export function isTest(path: string): boolean {
  return /(?:^|\/)test_[^/]*\.py$/.test(path);
}
