import type { RunReason, RunStatus } from "#server/domain/runStatus.ts";
import type { TableCellInput } from "../input.ts";
import type { Reading } from "../reading.ts";

/** What a built table is made from: cells of one sweep or several, and what every curve that was asked for comes to. */
export type BuilderInput = {
  sweeps: readonly { id: string; name: string; planHash: string }[];
  cells: readonly BuilderCell[];
  runs: readonly BuilderRun[];
};

export type BuilderCell = TableCellInput & { sweepId: string };

export type BuilderRun = {
  runId: string;
  cellIndex: number;
  seed: number;
  status: RunStatus;
  reason: RunReason | null;
  /** The last one it logged. */
  iteration: number;
  /** By metric key. */
  readings: ReadonlyMap<string, Reading>;
  /** In hindsight, of a run that is over; undefined where nothing tells. */
  collapse?: { hasCollapsed: boolean };
};
