import { leavesOf } from "#trainer/spec/leaves.ts";
import type { CellSpec } from "#trainer/spec/run.ts";

/** The settings in which two cells differ, at most three of them: "update.epochs (1 and 2)". */
export function differencesOf(a: CellSpec, b: CellSpec): string {
  const others = new Map(leavesOf(b).map(([path, value]) => [path.join("."), JSON.stringify(value)]));
  const differing = leavesOf(a).flatMap(([path, value]) => {
    const [name, ours] = [path.join("."), JSON.stringify(value)];
    const theirs = others.get(name);
    return theirs === ours ? [] : [`${name} (${ours} and ${theirs ?? "none"})`];
  });
  return differing.length > 3 ? `${differing.slice(0, 3).join(", ")}, …` : differing.join(", ");
}
