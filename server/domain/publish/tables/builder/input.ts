import { type Collapse, type Facts, listConfigured, type Parts } from "#server/domain/analysis/facts.ts";
import type { StoredSpec } from "#server/domain/plan/sweep/stored/storedSpec.ts";
import type { RunReason, RunStatus } from "#server/domain/runs/runStatus.ts";
import type { Drawn } from "#server/domain/runs/looks.ts";
import type { Reading } from "#server/domain/runs/table/reading.ts";

/** Cells and runs of one or several sweeps, with each requested curve under every checkpoint rule. */
export type BuilderInput = {
  sweeps: readonly { id: string; name: string; planHash: string }[];
  cells: readonly BuilderCell[];
  runs: readonly BuilderRun[];
};

export type BuilderCell = { index: number; method: string; label: string; spec: StoredSpec; sweepId: string };

export type BuilderRun = {
  runId: string;
  cellIndex: number;
  seed: number;
  status: RunStatus;
  reason: RunReason | null;
  iteration: number;
  /** Absent if unknown: then as drawn from a plan. */
  drawn?: Drawn;
  /** Values by metric key; a metric that was not logged has no entry. */
  readings: ReadonlyMap<string, Reading>;
  /** Hindsight label; undefined if unknown. `iteration` is present only if the table shows it. */
  collapse?: Collapse;
};

/** Returns the facts in the form of the table builder. Tables list sweeps in the order of their cells. */
export function toBuilderInput(
  facts: Facts & Pick<Parts, "configurations">,
  collapses: ReadonlyMap<string, Collapse> = new Map(),
): BuilderInput {
  const cells = listConfigured(facts);
  const planHashOf = new Map(facts.sweeps.map(({ id, planHash }) => [id, planHash]));
  const sweeps = new Map(
    cells.map(({ sweepId: id, sweepName: name }) => [id, { id, name, planHash: planHashOf.get(id) ?? "" }]),
  );
  const indexOf = new Map(cells.map(({ id }, index) => [id, index]));
  return {
    sweeps: [...sweeps.values()],
    cells: cells.map(({ method, label, spec, sweepId }, index) => ({ index, method, label, spec, sweepId })),
    runs: facts.runs.map(({ run }): BuilderRun => {
      const { id, cellId, seed, status, reason, latestIteration, addedAt, startedAt } = run;
      const collapse = collapses.get(id);
      return {
        runId: id,
        cellIndex: indexOf.get(cellId) ?? -1,
        seed,
        status,
        reason,
        iteration: latestIteration,
        drawn: { addedAt, startedAt },
        readings: facts.readingsOf(id),
        ...(collapse && { collapse }),
      };
    }),
  };
}
