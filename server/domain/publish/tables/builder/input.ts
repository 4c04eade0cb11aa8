import type { StoredSpec } from "#server/domain/plan/sweep/storedSpec.ts";
import type { RunReason, RunStatus } from "#server/domain/runs/runStatus.ts";
import type { Reading } from "../reading.ts";

/**
 * Data from which a results table is computed: cells and runs of one or several sweeps. A run has the values of each
 * requested curve under every checkpoint rule.
 */
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
  /** Last iteration that the run logged. */
  iteration: number;
  /** Values of each curve by metric key; a metric that was not logged has no entry. */
  readings: ReadonlyMap<string, Reading>;
  /** Hindsight label of a finished run; undefined if unknown. `iteration` is present only if the table shows it. */
  collapse?: { hasCollapsed: boolean; iteration?: number };
};
