import { reasonWords, type RunReason } from "#server/domain/runs/runStatus.ts";
import { formatCount } from "./format.ts";
import type { AxisMark } from "./prepareFlags.ts";
import type { LegendEntry, RunName } from "./names.ts";

/** Start of a later attempt of a run, that is, of any attempt except the first. */
export type ChartRestart = {
  runId: string;
  attempt: number;
  iteration: number;
  reason: RunReason | null;
  /** Position of the restart on an x-axis other than iterations. */
  x?: number;
};

export function prepareRestarts(
  restarts: readonly ChartRestart[],
  runs: ReadonlyMap<string, RunName>,
  entryOf: ReadonlyMap<number, LegendEntry>,
): AxisMark[] {
  return restarts.flatMap(({ runId, attempt, iteration, reason, x = iteration }) => {
    const run = runs.get(runId);
    const entry = run && entryOf.get(run.cellId);
    if (!entry) return [];
    const who = runs.size === 1 ? "" : `${entry.label}, seed ${run.seed}: `;
    const why = reason ? `after ${reasonWords[reason].title.toLowerCase()}` : "after a retry";
    // Iteration 0 is the evaluation before training, so an attempt whose first iteration is 1 trained from scratch.
    const where = iteration <= 1 ? "started over" : `resumed at iteration ${iteration}`;
    const label = `${who}attempt ${attempt} ${where} (${why})`;
    return [{ x: iteration <= 1 ? 0 : x, color: entry.color, label, kind: "restart" as const }];
  });
}

const ghostWords = {
  none: "",
  other: "; dotted lines: values of replaced attempts, left out of means",
  same: "; the replaced attempts had logged the same values",
} as const;

/** Formats the caption's remark on restarts, for example "2 restarts: ticks on the axis where attempts began". */
export function formatRestarts(ticks: readonly AxisMark[], replaced: keyof typeof ghostWords): string[] {
  if (ticks.length === 0) return [];
  const ghosts = ghostWords[replaced];
  const [only] = ticks;
  if (ticks.length === 1 && only) return [`${only.label}: a tick on the axis${ghosts}`];
  return [`${formatCount(ticks.length, "restart")}: ticks on the axis where attempts began${ghosts}`];
}

/** Returns the marks at a distance of at most 1, or 1/80 of the axis if that is more, from x. */
export function marksNear<Mark extends { x: number }>(
  ticks: readonly Mark[],
  x: number,
  [from, to]: readonly [number, number],
) {
  const reach = Math.max(1, (to - from) / 80);
  return ticks.filter((tick) => Math.abs(tick.x - x) <= reach);
}
