import { describeMetric } from "#trainer/spec/metric.ts";
import { checkPlan, type SweepPlan } from "#server/domain/plan/sweep/plan.ts";
import { expandPlan } from "#server/domain/plan/sweep/expand/expand.ts";
import type { Curve } from "#packages/statistics";
import { buildTable } from "../builder/build.ts";
import { computeTable } from "../builder/compute.ts";
import type { BuilderInput, BuilderRun } from "../builder/input.ts";
import { layTable } from "../builder/layout.ts";
import { toBuiltLongCsv } from "../builder/longCsv.ts";
import { fillOptions, type TableOptions, type TableWording } from "../builder/options.ts";
import { readCurve } from "#server/domain/runs/table/reading.ts";
import type { Table } from "#packages/tables";

export const success = "evaluation/successRate";
/** Makes a curve of success rates that is constant after iteration 0. */
export const flat = (value: number): Curve => ({
  iterations: Int32Array.of(0, 5, 10, 15, 20),
  values: Float64Array.of(0.1, value, value, value, value),
});

type Change = Partial<Omit<BuilderRun, "runId" | "cellIndex" | "seed" | "readings">> & {
  curves?: ReadonlyMap<string, Curve>;
};
type Made = {
  id?: string;
  name?: string;
  methods?: readonly unknown[];
  seeds?: readonly number[];
  axes?: Record<string, readonly number[]>;
  environments?: readonly { id: string; size?: number }[];
  value?: (cell: number, seed: number) => number;
  change?: (cell: number, seed: number) => Change;
};

/** Makes a sweep of finished runs, by default five seeds of four methods in Sokoban. */
export function make({
  id = "s",
  name = "Main",
  value = (c, s) => 0.5 + 0.1 * c + 0.01 * s,
  change,
  ...plan
}: Made = {}) {
  const checked = checkPlan({
    name,
    methods: plan.methods ?? ["grpo", "grpoSt", "gspo", "sampo"],
    environments: plan.environments ?? [{ id: "sokoban" }],
    seeds: plan.seeds ?? [0, 1, 2, 3, 4],
    ...(plan.axes && { axes: plan.axes }),
  });
  return makeFrom(checked, { id, value, ...(change && { change }) });
}

/** Makes the sweep of a plan, with every run finished. */
export function makeFrom(
  plan: SweepPlan,
  { id, value = () => 0.5, change }: Pick<Made, "value" | "change"> & { id: string },
): BuilderInput {
  const { name } = plan;
  const { cells, runs } = expandPlan(plan);
  const input: BuilderInput = {
    sweeps: [{ id, name, planHash: `plan-${id}` }],
    cells: cells.map((cell) => ({ ...cell, sweepId: id })),
    runs: runs.map(({ cellIndex, seed }) => {
      const { curves = new Map([[success, flat(value(cellIndex, seed))]]), ...changed } =
        change?.(cellIndex, seed) ?? {};
      return {
        runId: `${id}-${cellIndex}-${seed}`,
        cellIndex,
        seed,
        status: "finished",
        reason: "completed",
        iteration: 20,
        readings: new Map([...curves].map(([key, curve]) => [key, readCurve(curve, describeMetric(key))])),
        collapse: { hasCollapsed: false },
        ...changed,
      };
    }),
  };
  return input;
}

/** Joins several sweeps into one input. */
export function join(...inputs: readonly BuilderInput[]): BuilderInput {
  let offset = 0;
  const parts = inputs.map(({ cells, runs }) => {
    const from = offset;
    offset += cells.length;
    return {
      cells: cells.map((cell) => ({ ...cell, index: cell.index + from })),
      runs: runs.map((run) => ({ ...run, cellIndex: run.cellIndex + from })),
    };
  });
  return {
    sweeps: inputs.flatMap(({ sweeps }) => sweeps),
    cells: parts.flatMap(({ cells }) => cells),
    runs: parts.flatMap(({ runs }) => runs),
  };
}

/** Builds a table from its input, including its wording. */
export function build(input: BuilderInput, options: TableOptions, wording?: TableWording): Table {
  return buildTable(computeTable(layTable(input, fillOptions(options))), wording);
}

/** Returns the CSV in long form of a built table. */
export function buildLong(input: BuilderInput, options: TableOptions): string {
  return toBuiltLongCsv(layTable(input, fillOptions(options)));
}
