import type { Rng } from "#trainer/spec/rng.ts";
import type { Expertise } from "../environment.ts";
import { drawOne, type Task } from "./tasks/task.ts";
import { relativePath, type Workspace } from "./workspace.ts";

/** Knowledge of the expert: the task, the working tree, and its own actions so far. Thoughts use nothing else. */
export type Knowledge = {
  readonly task: Task;
  readonly workspace: Workspace;
  /** Paths of the files viewed in full. `hasSearched` is true after a search for the function. */
  readonly viewed: readonly string[];
  readonly hasSearched: boolean;
  /** True if the tests have run since the last change of a file. */
  readonly hasTested: boolean;
  readonly turnsLeft: number;
};

/**
 * Returns the expert's next action. It views the files that the issue points to, follows the calls to the bug, and
 * repairs the buggy line, which it knows. With `rng` the expert sometimes runs the tests before it submits. One time
 * in ten it first tries a wrong repair, if enough turns remain to see the tests fail.
 */
export function advise(knowledge: Knowledge, rng?: Rng): Expertise {
  const { task, workspace, turnsLeft } = knowledge;
  const next = nextLook(knowledge);
  if (next !== undefined) return next;
  const { path, lineIndex, line } = task.fix;
  const [before, now] = [task.files[path] ?? "", workspace.files[path] ?? ""].map((text) => text.split("\n"));
  if (before === undefined || now === undefined) return submit;
  const shown = relativePath(path);
  const isTried = now.some((text, i) => text !== before[i]);
  const wrongAt = now.findIndex((text, i) => text !== (i === lineIndex ? line : before[i]));
  if (wrongAt < 0) {
    const wantsTest = rng !== undefined && !knowledge.hasTested && turnsLeft > 1 && rng.int(4) === 0;
    return wantsTest ? { thought: "fixed , test it", action: "test" } : submit;
  }
  if (now.length !== before.length) {
    return { thought: "undo that", action: `str_replace_editor undo_edit ${path}` };
  }
  if (isTried && !knowledge.hasTested && turnsLeft > 2) return { thought: "test it", action: "test" };
  const right = (wrongAt === lineIndex ? line : (before[wrongAt] ?? "")).trim();
  const wantsMistake = rng !== undefined && !isTried && turnsLeft > 4 && rng.int(10) === 0;
  const text = wantsMistake ? (drawOne(mistakesIn(right), rng) ?? right) : right;
  return {
    thought: `${task.family.replaceAll("_", " ")} on line ${wrongAt + 1}`,
    action: `edit ${shown} ${wrongAt + 1} : ${text}`.trimEnd(),
  };
}

const submit: Expertise = { thought: "fixed", action: "submit" };

function nextLook({ task, viewed, hasSearched }: Knowledge): Expertise | undefined {
  const unseen = task.trail.find((path) => !viewed.includes(path));
  if (unseen === undefined) return undefined;
  if (!task.isFileNamed && !hasSearched && viewed.length === 0) {
    return { thought: `find ${task.keyword}`, action: `search ${task.keyword}` };
  }
  return { thought: `look at ${relativePath(unseen)}`, action: `view ${relativePath(unseen)}` };
}

/** Returns the turns that the expert still needs without mistakes: views, a missing repair, the submission. */
export function turnsToGo({ task, workspace, viewed, hasSearched }: Knowledge): number {
  const looks = task.trail.filter((path) => !viewed.includes(path)).length;
  const search = !task.isFileNamed && !hasSearched && viewed.length === 0 ? 1 : 0;
  const { path, lineIndex, line } = task.fix;
  const isRepaired = workspace.files[path] === (task.files[path] ?? "").split("\n").with(lineIndex, line).join("\n");
  return isRepaired ? 1 : search + looks + 2;
}

/** Returns plausible wrong repairs: the line with one operator or number changed. */
function mistakesIn(line: string): readonly string[] {
  const swaps = [
    [" + ", " - "],
    [" < ", " <= "],
    [" > ", " >= "],
    [" - ", " + "],
    [" == ", " != "],
    [" 0", " 1"],
    [" += ", " -= "],
  ] as const;
  return swaps.filter(([from]) => line.includes(from)).map(([from, to]) => line.replace(from, to));
}

export const expertWords = "find look at fixed , test it undo that on line submit edit view search ls".split(" ");
