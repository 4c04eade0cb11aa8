import type { SweGymSpec } from "#trainer/spec/environments/sweGym.ts";
import type { Rng } from "#trainer/spec/rng.ts";
import type { Programs } from "../../programs.ts";
import { runProbes, type Probe, type ProbeResult } from "../checking/probe.ts";
import type { Library, LibraryFunction } from "../library/function.ts";
import type { Mutation } from "../mutation/mutate.ts";
import { root } from "../workspace.ts";
import { type Task, writeIssue } from "./task.ts";
import { headerIndex, layOut, toSource, withCallees, type Module } from "./layout.ts";
import { withOtherNames } from "./names.ts";
import { chooseTests, drawAllCalls } from "./tests.ts";

export type Plan = {
  readonly library: Library;
  /** Chain of calls: from the function with the bug to the function that the issue is about. */
  readonly chain: readonly LibraryFunction[];
  readonly mutation: Mutation;
  /** True if a file with this buggy text belongs to the task's split (train, seen or unseen). */
  readonly isWanted: (text: string) => boolean;
};

export type Shape = Pick<SweGymSpec, "files" | "functionsPerFile" | "issueStyle" | "renamedPercent">;

/** A repository with a bug, and test calls whose results decide if it becomes a task. */
export type Draft = {
  readonly probe: Probe;
  /** Adds unit tests and the issue. Undefined if no test fails because of the bug. */
  readonly finish: (results: readonly ProbeResult[] | undefined) => Task | undefined;
};

export function buildTask(python: Programs["python"], shape: Shape, plan: Plan & { rng: Rng }): Task | undefined {
  const draft = draftTask(shape, plan);
  return draft?.finish(runProbes(python, [draft.probe])[0]);
}

export function draftTask(shape: Shape, plan: Plan & { rng: Rng }): Draft | undefined {
  const { library, chain, mutation, rng } = plan;
  const [source] = chain;
  const asked = chain.at(-1);
  if (source === undefined || asked === undefined) return undefined;
  const renamed = new Map(chain.map((item) => [item.name, item]));
  const needed = library.functions
    .filter(({ name }) => renamed.has(name))
    .flatMap((item) => withCallees(library, item));
  const modules = layOut(shape, library, { needed, rng }).map((module): Module => ({
    ...module,
    functions: module.functions.map(
      (item) => renamed.get(item.name) ?? withOtherNames(item, shape.renamedPercent, rng),
    ),
  }));
  const pathOf = (name: string): string =>
    modules.find(({ functions }) => functions.some((item) => item.name === name))?.path ?? "";
  const correct = Object.fromEntries(modules.map((module) => [module.path, toSource(module, modules)]));
  const path = pathOf(source.name);
  const lines = correct[path]?.split("\n") ?? [];
  const lineIndex = headerIndex(lines.join("\n"), source.name) + mutation.lineIndex;
  const buggy = { ...correct, [path]: lines.with(lineIndex, mutation.line).join("\n") };
  if (!plan.isWanted(buggy[path] ?? "")) return undefined;
  const subject = { modules, asked, source };
  const trail = [...new Set(chain.map(({ name }) => `${root}/${pathOf(name)}`))].toReversed();
  return {
    probe: { versions: { correct, buggy }, calls: drawAllCalls(subject, rng) },
    finish(results) {
      const tests = results && chooseTests(results, subject);
      if (tests === undefined) return undefined;
      const files = Object.entries({ ...buggy, ...tests.files }).map(([file, text]) => [`${root}/${file}`, text]);
      return {
        repo: library.repo,
        family: mutation.family,
        files: Object.fromEntries(files),
        fix: { path: `${root}/${path}`, lineIndex, line: lines[lineIndex] ?? "" },
        issue: writeIssue(shape.issueStyle, tests.wrong, tests.test),
        keyword: asked.name,
        trail,
        isFileNamed: modules.length === 1 || shape.issueStyle === "traceback",
        failToPass: tests.failToPass,
        passToPass: tests.passToPass,
      };
    },
  };
}
