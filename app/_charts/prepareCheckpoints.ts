import { formatCount } from "./format.ts";
import type { AxisMark } from "./prepareFlags.ts";

/** An iteration after which a run's trainer wrote a checkpoint. */
export type ChartCheckpoint = {
  runId: string;
  iteration: number;
  /** Position of the checkpoint on an x-axis other than iterations. */
  x?: number;
};

type Kept = {
  runId: string;
  /** Interval between checkpoints in iterations, from `execution.checkpointEvery`; 0: no checkpoints. */
  every: number;
  latestIteration: number;
  isOver: boolean;
  restarts: readonly { iteration: number }[];
};

/** Lists the iterations with a checkpoint, except a live run's newest, which may not be written yet. */
export function listCheckpoints({ runId, every, latestIteration, isOver, restarts }: Kept): ChartCheckpoint[] {
  const last = isOver ? latestIteration : latestIteration - 1;
  const numRegular = every > 0 ? Math.max(0, Math.floor(last / every)) : 0;
  const regular = Array.from({ length: numRegular }, (_, i) => (i + 1) * every);
  const resumed = restarts.flatMap(({ iteration }) => (iteration > 1 ? [iteration - 1] : []));
  const iterations = [...new Set([...regular, ...resumed])].toSorted((a, b) => a - b);
  return iterations.map((iteration) => ({ runId, iteration }));
}

/** Maximum number of checkpoint marks: more marks would look like a second axis. */
const maxMarks = 40;

export function prepareCheckpoints(checkpoints: readonly ChartCheckpoint[]): { marks: AxisMark[]; notes: string[] } {
  if (checkpoints.length === 0) return { marks: [], notes: [] };
  const count = formatCount(checkpoints.length, "checkpoint");
  if (checkpoints.length > maxMarks)
    return { marks: [], notes: [`${count} in this range, too many to mark: zoom in to see the checkpoints`] };
  const marks = checkpoints.map(({ iteration, x = iteration }): AxisMark => {
    return { x, color: "var(--muted)", label: `checkpoint after iteration ${iteration}`, kind: "checkpoint" };
  });
  return { marks, notes: [`${count}: squares on the axis`] };
}
