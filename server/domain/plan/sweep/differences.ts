import { leavesOf } from "#trainer/spec/leaves.ts";
import type { CellSpec } from "#trainer/spec/run.ts";

/** The settings in which two cells differ, at most three of them: "update.epochs (1 and 2)". */
export function differencesOf(a: CellSpec, b: CellSpec): string {
  const [ours, theirs] = [textsOf(a), textsOf(b)];
  // A setting that only one of the cells has (such as a sampler's lag) is a difference too.
  const differing = [...new Set([...ours.keys(), ...theirs.keys()])]
    .filter((name) => ours.get(name) !== theirs.get(name))
    .map((name) => `${name} (${ours.get(name) ?? "none"} and ${theirs.get(name) ?? "none"})`);
  return differing.length > 3 ? `${differing.slice(0, 3).join(", ")}, …` : differing.join(", ");
}

function textsOf(cell: CellSpec): ReadonlyMap<string, string> {
  return new Map(leavesOf(cell).map(([path, value]) => [path.join("."), JSON.stringify(value)]));
}
