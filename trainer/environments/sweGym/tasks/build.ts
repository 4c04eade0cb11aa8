import type { SweGymSpec } from "#trainer/spec/environments/sweGym.ts";
import type { Rng } from "#trainer/spec/rng.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import type { Library, LibraryFunction } from "../library/function.ts";
import type { Mutation } from "../mutation/mutate.ts";
import { root } from "../workspace.ts";
import { tellIssue } from "./issue.ts";
import { headerIndex, layOut, toSource, withCallees, type Module } from "./layout.ts";
import { withOtherNames } from "./names.ts";
import type { Task } from "./task.ts";
import { drawTests } from "./tests.ts";

export type Plan = {
  readonly library: Library;
  /** From the function with the bug to the one that the issue is about. */
  readonly chain: readonly LibraryFunction[];
  readonly mutation: Mutation;
  /** Whether a file with the bug in it belongs to the split that is wanted. */
  readonly isWanted: (text: string) => boolean;
};

/** What of a specification shapes a repository. */
export type Shape = Pick<SweGymSpec, "files" | "functionsPerFile" | "issueStyle" | "renamedPercent">;

/** The repository around a bug, with its tests and its issue; nothing where no test showed the bug. */
export function buildTask(sandbox: Sandbox, shape: Shape, plan: Plan & { rng: Rng }): Task | undefined {
  const { library, chain, mutation, rng } = plan;
  const [source] = chain;
  const asked = chain.at(-1);
  if (source === undefined || asked === undefined) return undefined;
  const renamed = new Map(chain.map((own) => [own.name, own]));
  const needed = library.functions.filter(({ name }) => renamed.has(name)).flatMap((own) => withCallees(library, own));
  const modules = layOut(shape, library, { needed, rng }).map((module): Module => ({
    ...module,
    functions: module.functions.map((own) => renamed.get(own.name) ?? withOtherNames(own, shape.renamedPercent, rng)),
  }));
  const pathOf = (name: string): string =>
    modules.find(({ functions }) => functions.some((own) => own.name === name))?.path ?? "";
  const correct = Object.fromEntries(modules.map((module) => [module.path, toSource(module, modules)]));
  const path = pathOf(source.name);
  const lines = correct[path]?.split("\n") ?? [];
  const lineIndex = headerIndex(lines.join("\n"), source.name) + mutation.lineIndex;
  const buggy = { ...correct, [path]: lines.with(lineIndex, mutation.line).join("\n") };
  if (!plan.isWanted(buggy[path] ?? "")) return undefined;
  const tests = drawTests(sandbox, { correct, buggy }, { modules, asked, source, rng });
  if (tests === undefined) return undefined;
  const { wrong, test } = tests;
  const files = Object.entries({ ...buggy, ...tests.files }).map(([file, text]) => [`${root}/${file}`, text]);
  const trail = [...new Set(chain.map(({ name }) => `${root}/${pathOf(name)}`))].toReversed();
  return {
    repo: library.repo,
    family: mutation.family,
    files: Object.fromEntries(files),
    fix: { path: `${root}/${path}`, lineIndex, line: lines[lineIndex] ?? "" },
    issue: tellIssue(shape.issueStyle, wrong, test),
    keyword: asked.name,
    trail,
    isFileNamed: modules.length === 1 || shape.issueStyle === "traceback",
    failToPass: tests.failToPass,
    passToPass: tests.passToPass,
  };
}
