import type { BugFamily, HeldOutFamily, SweGymSpec } from "#trainer/spec/environments/sweGym.ts";
import type { Rng } from "#trainer/spec/rng.ts";
import type { ProbeResult } from "../checking/probe.ts";
import type { TestId } from "../checking/runTests.ts";
import type { Files } from "../workspace.ts";

/** A task of this environment: a repository with a bug, its issue, and the tests that recognise a repair. */
export type Task = {
  readonly repo: string;
  readonly family: BugFamily | HeldOutFamily;
  readonly files: Files;
  /** Correct line and its position. The path is absolute, and lines are counted from 0. */
  readonly fix: { readonly path: string; readonly lineIndex: number; readonly line: string };
  readonly issue: string;
  /** Name of the function that the issue is about. The expert searches for it. */
  readonly keyword: string;
  /** Paths of the files that the expert views, from the one that the issue points to, to the one with the bug. */
  readonly trail: readonly string[];
  /** True if the issue names the first file of `trail`. */
  readonly isFileNamed: boolean;
  /** Tests that fail because of the bug, while `passToPass` are tests that pass despite it. */
  readonly failToPass: readonly TestId[];
  readonly passToPass: readonly TestId[];
};

export function shuffled<Item>(items: readonly Item[], rng: Rng): Item[] {
  const order = [...items];
  for (let i = order.length - 1; i > 0; i--) {
    const j = rng.int(i + 1);
    const [a, b] = [order[i], order[j]];
    if (a === undefined || b === undefined) continue;
    [order[i], order[j]] = [b, a];
  }
  return order;
}

export function drawOne<Item>(items: readonly Item[], rng: Rng): Item | undefined {
  return items[rng.int(items.length)];
}

export function writeIssue(style: SweGymSpec["issueStyle"], wrong: ProbeResult, test: TestId): string {
  const call = `${wrong.name}(${wrong.args.join(", ")})`;
  const isThrown = wrong.buggy.startsWith("!");
  switch (style) {
    case "symptom":
      return isThrown
        ? `${call} raises ${wrong.buggy.slice(1)} but should return ${wrong.correct}.`
        : `${call} returns ${wrong.buggy} but should return ${wrong.correct}.`;
    case "traceback":
      return `FAILED ${test.file}::${test.name} - ${wrong.reason}`;
    case "vague":
      return `${wrong.name} gives wrong results since the last change.`;
  }
}

export const issueWords = "raises returns but should return gives wrong results since the last change .".split(" ");
