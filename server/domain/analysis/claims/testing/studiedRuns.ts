import { nameOfEnvironment } from "#trainer/spec/environmentTexts.ts";
import { methodOf, type Method } from "#trainer/spec/method.ts";
import { CellSpec } from "#trainer/spec/run.ts";
import { factorLevels } from "#server/domain/plan/sweep/methods/factorLevels.ts";
import { expandPlan } from "#server/domain/plan/sweep/expand/expand.ts";
import type { SweepPlan } from "#server/domain/plan/sweep/schema.ts";
import type { StudiedRun } from "../studiedRun.ts";

type Values = Partial<Pick<StudiedRun, "value" | "early" | "hasCollapsed" | "numSteps">>;

/** Makes a finished run of a cell with made-up results, for tests of analyses. */
export function studiedRun(spec: CellSpec, seed: number, values: Values = {}): StudiedRun {
  const { method: point, execution: _, ...settings } = spec;
  const { value = 0.5 } = values;
  const run = { runId: `r${seed}`, seed, cell: "c", method: "GRPO", point, levels: factorLevels(point), settings };
  return {
    ...run,
    environment: nameOfEnvironment(spec.environment),
    numSteps: NaN,
    value,
    rawValue: value,
    early: 0.3,
    hasCollapsed: false,
    ...values,
  };
}

/** Makes a test cell: the default Sokoban configuration with some changes. */
export function cellOf(changes: object, method: Method = methodOf("grpo")): CellSpec {
  return CellSpec.parse({ environment: { id: "sokoban" }, method, ...changes });
}

/** Makes every run of a sweep plan for tests, with its cell's value plus a small effect of the seed. */
export function runsOf(plan: SweepPlan, valueOf: (spec: CellSpec) => Values): StudiedRun[] {
  const { cells, runs } = expandPlan(plan);
  const made = cells.map(({ spec }) => studiedRun(spec, 0));
  return runs.flatMap(({ cellIndex, seed }) => {
    const [cell, run] = [cells[cellIndex], made[cellIndex]];
    if (!cell || !run) return [];
    const values = valueOf(cell.spec);
    const value = (values.value ?? 0.5) + 0.01 * seed;
    const names = { runId: `c${cellIndex}-s${seed}`, seed, method: cell.method };
    return [{ ...run, ...values, ...names, value, rawValue: value }];
  });
}
