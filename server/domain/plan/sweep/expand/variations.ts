import { split } from "#trainer/spec/rng.ts";
import type { CellSpec } from "#trainer/spec/run.ts";
import type { InputIssue } from "#packages/base";
import { applyAxes, countCombinations, listCombinations, type AxisChoice, type VariedCell } from "./axes.ts";
import { draw } from "../../search/distribution.ts";
import { checkCondition, holds } from "../settings/rules.ts";
import type { AxisValue, SweepPlan } from "../schema.ts";

/** Every sample is combined with the whole grid of axes, so that all methods have the same samples. */
export function listVariations(plan: SweepPlan): AxisChoice[][] {
  const grid = listCombinations(plan.axes);
  const draws = plan.sample ? listDraws(plan) : [[]];
  return draws.flatMap((choices) => grid.map((combination) => [...choices, ...combination]));
}

export function countVariations({ axes, sample }: SweepPlan): number {
  return countCombinations(axes) * (sample?.count ?? 1);
}

export function variedValues(plan: SweepPlan): Record<string, AxisValue[]> {
  const values: Record<string, AxisValue[]> = {};
  for (const { path, value } of listDraws(plan).flat()) (values[path] ??= []).push(value);
  return { ...values, ...plan.axes };
}

/** Sample i of a path has a random stream named by seed, path and i, so a longer list begins with the shorter list. */
function listDraws({ sample, distributions }: SweepPlan): AxisChoice[][] {
  if (!sample) return [];
  return Array.from({ length: sample.count }, (_, i) =>
    Object.entries(sample.parameters).flatMap(([path, from]): AxisChoice[] => {
      const distribution = typeof from === "string" ? distributions[from] : from;
      return distribution ? [{ path, value: draw(distribution, split(sample.seed, "sample", path, i)) }] : [];
    }),
  );
}

/** Applies one combination of settings to a cell, conditional settings (`when`) last and if their condition holds. */
export function varyCell(
  cell: CellSpec,
  variation: readonly AxisChoice[],
  { when, label }: { when: SweepPlan["when"]; label: string },
): VariedCell {
  const free = variation.filter(({ path }) => when[path] === undefined);
  return Object.entries(when).reduce<VariedCell>(
    (varied, [path, condition]) => {
      if (varied.issues.length > 0 || !holds(condition, varied.spec, label)) return varied;
      const conditional = variation.filter((choice) => choice.path === path);
      const next = applyAxes(varied.spec, conditional);
      return { ...next, used: [...varied.used, ...next.used] };
    },
    applyAxes(cell, free),
  );
}

export function checkRules({ axes, sample, distributions, when, exclude }: SweepPlan): InputIssue[] {
  const parameters = sample?.parameters ?? {};
  const varied = new Set([...Object.keys(axes), ...Object.keys(parameters)]);
  const twice = Object.keys(parameters).filter((path) => Object.hasOwn(axes, path));
  const unnamed = Object.entries(parameters).flatMap(([path, from]) =>
    typeof from === "string" && !Object.hasOwn(distributions, from) ? [{ path, from }] : [],
  );
  const idle = Object.keys(when).filter((path) => !varied.has(path));
  return [
    ...twice.map((path) => ({ path: `sample.parameters.${path}`, message: "is an axis already" })),
    ...unnamed.map(({ path, from }) => {
      const known = Object.keys(distributions).join(", ") || "none";
      return { path: `sample.parameters.${path}`, message: `there is no distribution "${from}" (known: ${known})` };
    }),
    ...idle.map((path) => ({ path: `when.${path}`, message: "has a condition, but is neither an axis nor sampled" })),
    ...Object.entries(when).flatMap(([path, condition]) => checkCondition(condition, `when.${path}`)),
    ...exclude.flatMap((condition, i) => checkCondition(condition, `exclude[${i}]`)),
  ];
}
