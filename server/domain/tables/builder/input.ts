import type { RunReason, RunStatus } from "../../runStatus.ts";
import type { Curve } from "../../series/series.ts";
import type { TableCellInput } from "../input.ts";

/** What a built table is made from: cells of one sweep or several, and their runs with every curve that was asked for. */
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
  curves: ReadonlyMap<string, Curve>;
  /** In hindsight, of a run that is over; undefined where nothing tells. */
  collapse?: { hasCollapsed: boolean };
};
