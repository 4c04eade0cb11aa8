import type { StoredSpec } from "#server/domain/import/storedSpec.ts";
import type { RunReason, RunStatus } from "#server/domain/runStatus.ts";
import type { Reading } from "../reading.ts";

/** What a table is made from: cells of one sweep or several, and what every curve that was asked for comes to. */
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
  /** The last one it logged. */
  iteration: number;
  /** By metric key; of a metric that was not logged there is none. */
  readings: ReadonlyMap<string, Reading>;
  /** In hindsight, of a run that is over; undefined where nothing tells. `iteration` where it is shown. */
  collapse?: { hasCollapsed: boolean; iteration?: number };
};
