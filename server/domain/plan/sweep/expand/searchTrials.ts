import { spendingOf } from "#trainer/spec/budget.ts";
import { contentHash } from "#trainer/spec/canonical.ts";
import { type InputIssue, readAt } from "#packages/base";
import { decideTrial, type Decision, type Search } from "../../search/decide.ts";
import { type Limit, spaceAt } from "../../search/schedule.ts";
import { toLoss } from "../../search/objective.ts";
import { describeRange, isActive, isWithin, type Parameter, type Point, type Value } from "../../search/space.ts";
import type { Trial } from "../../search/trial.ts";
import { applyAxes, checkAxes, labelAxes } from "./axes.ts";
import type { Cell } from "../cell.ts";
import type { AxisValue, SweepPlan } from "../schema.ts";
import type { SearchPlan } from "../../search/searchPlan.ts";

/**
 * A decision of a search and the cell that runs it; null if the sampled settings are invalid. `arm` is the stored name of
 * the index of the searched configuration.
 */
export type PlannedDecision = Decision & { arm: number; cellIndex: number | null; step: number };

/** Samples the first trials of every method and environment, before any result. Identical trials share a cell. */
export function startSearch(
  search: SearchPlan,
  configurations: readonly Cell[],
): { cells: Cell[]; decisions: PlannedDecision[] } {
  const cells = new Map<string, Cell>();
  const decisions = configurations.flatMap((configuration, i) => {
    const trials: Trial[] = [];
    const own = searchOf(search, configuration);
    return Array.from({ length: search.sampler.kind === "external" ? 1 : search.parallel }, (): PlannedDecision => {
      const decision = decideTrial(own, trials);
      const made = makeTrialCell(search, configuration, decision);
      trials.push({ ...decision, ...("problem" in made && { outcome: { kind: "lost" } }) });
      if ("problem" in made) return { ...decision, arm: i, step: decision.number, cellIndex: null };
      const cell = cells.get(made.specHash) ?? { ...made, index: cells.size };
      cells.set(cell.specHash, cell);
      return { ...decision, arm: i, step: decision.number, cellIndex: cell.index };
    });
  });
  return { cells: [...cells.values()], decisions };
}

/** Makes the search for one method and environment; with `defaultsFirst`, its first trial has the plan's values. */
export function searchOf(search: SearchPlan, { spec }: Pick<Cell, "spec">, limits: readonly Limit[] = []): Search {
  const space = spaceAt(search.space, limits);
  const { sampler, defaultsFirst = false, known = [] } = search;
  const objectives = [search.objective].flat();
  const told = known.map(({ point, values }, i): Trial => {
    const losses = objectives.map((objective, m) => toLoss(objective, [values].flat()[m] ?? NaN));
    return { number: i - known.length, point, outcome: { kind: "measured", losses } };
  });
  return { sampler, space, told, first: defaultsFirst ? ownPoint(space, spec) : undefined };
}

function ownPoint(space: SearchPlan["space"], spec: Cell["spec"]): Point {
  const point: Record<string, Value> = {};
  for (const [path, parameter] of Object.entries(space)) {
    const value = readAt(spec, path);
    if (isActive(parameter, point) && isValue(value)) point[path] = value;
  }
  return point;
}

function isValue(value: unknown): value is Value {
  return value === null || ["number", "string", "boolean"].includes(typeof value);
}

export function makeTrialCell(
  { space }: Pick<SearchPlan, "space">,
  configuration: Omit<Cell, "index">,
  { number, point }: Pick<Decision, "number" | "point">,
): Omit<Cell, "index"> | { problem: string } {
  const choices = Object.entries(point).map(([path, value]) => ({ path, value }));
  const { spec, used, issues } = applyAxes(configuration.spec, choices);
  if (issues.length > 0) return { problem: issues.map(({ path, message }) => `${path} ${message}`).join("; ") };
  const bounds = Object.fromEntries(Object.entries(space).map(([path, parameter]) => [path, boundsOf(parameter)]));
  const parts = [configuration.label, `trial ${number}`, labelAxes(used, bounds)];
  return { method: configuration.method, label: parts.filter(Boolean).join(" · "), spec, specHash: contentHash(spec) };
}

export function checkSearch(plan: SweepPlan, configurations: readonly Cell[]): InputIssue[] {
  const { search, axes, sample, exclude } = plan;
  if (search === undefined) return [];
  const { space } = search;
  const paths = Object.keys(space);
  const usedPaths = new Set<string>();
  const refused = new Map<string, InputIssue>();
  for (const [path, parameter] of Object.entries(space)) {
    const given = Object.entries(parameter.when ?? {}).map(([name, [value = null]]) => ({ path: name, value }));
    for (const value of boundsOf(parameter)) {
      for (const { spec } of configurations) {
        const { used, issues } = applyAxes(spec, [...given, { path, value }]);
        if (used.some((choice) => choice.path === path)) usedPaths.add(path);
        for (const issue of issues) refused.set(`${issue.path} ${issue.message}`, toSearchPath(issue));
      }
    }
  }
  const idle = checkAxes(Object.fromEntries(paths.map((path) => [path, []])), usedPaths).map(toSearchPath);
  const twice = paths.filter((path) => Object.hasOwn(axes, path));
  const beside = [...(sample ? ["sample"] : []), ...(exclude.length > 0 ? ["exclude"] : [])];
  return [
    ...beside.map((path) => ({ path, message: "cannot be combined with a search: remove one of them" })),
    ...twice.map((path) => ({ path: `search.space.${path}`, message: "is an axis already" })),
    ...idle,
    ...refused.values(),
    ...checkDefaults(search, configurations),
    ...checkRungs(search, { configurations, numSeeds: plan.seeds.length }),
  ];
}

/** Checks that the plan's own settings lie in the search space, since the sampler models them with sampled ones. */
function checkDefaults(search: SearchPlan, configurations: readonly Cell[]): InputIssue[] {
  return configurations.flatMap((configuration) =>
    Object.entries(searchOf(search, configuration).first ?? {}).flatMap(([path, value]) => {
      const parameter = search.space[path];
      if (parameter === undefined || isWithin(parameter, value)) return [];
      const message = `covers ${describeRange(parameter)}, but ${configuration.method}'s own value, which defaultsFirst tries first, is ${String(value)}`;
      return [{ path: `search.space.${path}`, message }];
    }),
  );
}

function checkRungs(
  { halving, racing, space }: SearchPlan,
  { configurations, numSeeds }: { configurations: readonly Cell[]; numSeeds: number },
): InputIssue[] {
  const checkBelow = (field: "racing.leastSeeds" | "halving.least", least: number, full: [number, string]) => {
    const [limit, what] = full;
    const message = `is ${least}, must be below the ${what}, ${limit}`;
    return least < limit ? [] : [{ path: `search.${field}`, message }];
  };
  if (racing !== undefined) return checkBelow("racing.leastSeeds", racing.leastSeeds, [numSeeds, "number of seeds"]);
  if (halving === undefined) return [];
  if (halving.of === "seeds") return checkBelow("halving.least", halving.least, [numSeeds, "number of seeds"]);
  const budgets = Object.keys(space).filter((name) => name.startsWith("budget."));
  if (budgets.length > 0) {
    const message = "cannot be searched with rungs of iterations";
    return budgets.map((name) => ({ path: `search.space.${name}`, message }));
  }
  const numIterations = Math.min(...configurations.map(({ spec }) => spendingOf(spec).iterations));
  return checkBelow("halving.least", halving.least, [numIterations, "iterations of a run"]);
}

function boundsOf(parameter: Parameter): AxisValue[] {
  return parameter.kind === "choice" ? parameter.of : [parameter.low, parameter.high];
}

function toSearchPath({ path, message }: InputIssue): InputIssue {
  return { path: path.replace(/^axes\./, "search.space."), message };
}
