import { formatSetting, lowerFirst } from "#packages/base";
import { canonicalJson } from "#trainer/spec/canonical.ts";
import { leavesOf } from "#trainer/spec/leaves.ts";
import type { CellSpec, RunSpec } from "#trainer/spec/run.ts";
import { titleOfSetting } from "#server/domain/plan/sweep/labels/settingTitles.ts";

type Spec = CellSpec | RunSpec;

/** True if two runs differ in nothing but seed, budget and execution. */
export function isSimilar(one: Spec, other: Spec): boolean {
  return canonicalJson(withoutOthers(one)) === canonicalJson(withoutOthers(other));
}

function withoutOthers(spec: Spec): object {
  return { ...spec, v: null, seed: null, budget: null, execution: null };
}

/** Lists the settings of budget and execution in which a similar run differs: "iterations 60 instead of 40". */
export function describeOthers(asking: Spec, similar: Spec): string[] {
  const othersOf = ({ budget, execution }: Spec) =>
    new Map(leavesOf({ budget, execution }).map(([path, value]) => [path.join("."), value]));
  const [own, its] = [othersOf(asking), othersOf(similar)];
  const write = (value: unknown) => (typeof value === "number" ? formatSetting(value) : canonicalJson(value ?? null));
  return [...new Set([...own.keys(), ...its.keys()])]
    .filter((path) => canonicalJson(own.get(path) ?? null) !== canonicalJson(its.get(path) ?? null))
    .map((path) => `${lowerFirst(titleOfSetting(path))} ${write(its.get(path))} instead of ${write(own.get(path))}`);
}
