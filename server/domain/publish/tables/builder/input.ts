import type { StoredSpec } from "#server/domain/plan/sweep/stored/storedSpec.ts";
import type { RunReason, RunStatus } from "#server/domain/runs/runStatus.ts";
import type { Reading } from "../reading.ts";

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
  /** Values by metric key; a metric that was not logged has no entry. */
  readings: ReadonlyMap<string, Reading>;
  /** Hindsight label; undefined if unknown. `iteration` is present only if the table shows it. */
  collapse?: { hasCollapsed: boolean; iteration?: number; isUnclear?: true };
};
