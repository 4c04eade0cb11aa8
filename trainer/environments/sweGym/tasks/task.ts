import type { BugFamily, HeldOutFamily } from "#trainer/spec/environments/sweGym.ts";
import type { TestId } from "../checking/runTests.ts";
import type { Files } from "../workspace.ts";

/** A repository with a bug, its issue, and the tests that recognise a repair. */
export type Task = {
  readonly repo: string;
  readonly family: BugFamily | HeldOutFamily;
  readonly files: Files;
  /** The correct line. Paths are absolute, lines counted from 0. */
  readonly fix: { readonly path: string; readonly lineIndex: number; readonly line: string };
  readonly issue: string;
  /** The function that the issue is about, or its module where the issue names no function. */
  readonly keyword: string;
  /** Files to view in order, from the one that the issue points to, to the one with the bug. */
  readonly trail: readonly string[];
  /** True where the issue names the first file of the trail. */
  readonly isFileNamed: boolean;
  /** Tests that fail because of the bug, and tests that pass despite it. */
  readonly failToPass: readonly TestId[];
  readonly passToPass: readonly TestId[];
};
