import type { BugFamily, HeldOutFamily } from "#trainer/spec/environments/sweGym.ts";
import type { TestId } from "../checking/runTests.ts";
import type { Files } from "../workspace.ts";

/** A repository with a bug, its issue, and how a repair is recognised. */
export type Task = {
  readonly repo: string;
  readonly family: BugFamily | HeldOutFamily;
  readonly files: Files;
  /** The line that was right; paths are absolute, lines counted from 0. */
  readonly fix: { readonly path: string; readonly lineIndex: number; readonly line: string };
  readonly issue: string;
  /** The function that the issue is about, or its module where the issue names no function. */
  readonly keyword: string;
  /** Files to look at one after the other, from the one that the issue leads to to the one with the bug. */
  readonly trail: readonly string[];
  /** Whether the issue names the first of them. */
  readonly isFileNamed: boolean;
  /** Tests that fail because of the bug, and tests that pass in spite of it. */
  readonly failToPass: readonly TestId[];
  readonly passToPass: readonly TestId[];
};
