import type { SweepOrigin } from "#server/db/plan/sweeps.ts";
import { formatCount, formatDuration, formatRough } from "#app/_charts/format.ts";
import { describeFullDisks } from "#server/domain/runs/runStatus.ts";
import { describeOpen } from "#server/domain/runs/progress.ts";
import { type Pace, timeLeft } from "#server/domain/runs/pace.ts";

type Progress = Pace & {
  origin?: SweepOrigin;
  startedAt: Date | null;
  endedAt: Date | null;
  fullDisks?: readonly string[];
};

/** Time since the first run started, and the remaining time once the sweep's own pace is known. */
export function formatTime(progress: Progress, nowMs: number): string {
  const { startedAt, endedAt, iterationsDone, intent, counts, fullDisks = [] } = progress;
  const isOver = describeOpen(counts) === "";
  // Files of other trainers may lack the start time.
  if (!startedAt && isOver) return "";
  if (progress.origin === "import" && !isOver) return "being imported";
  if (!startedAt && fullDisks.length > 0) return `paused: ${describeFullDisks(fullDisks)}`;
  if (!startedAt) return intent === "pause" ? "paused before its first run" : "not started yet";
  const elapsedMs = Math.max(0, (isOver && endedAt ? endedAt.getTime() : nowMs) - startedAt.getTime());
  if (isOver) return `took ${formatDuration(elapsedMs)}, ${formatCount(iterationsDone, "iteration")}`;
  const elapsed = `${formatDuration(elapsedMs)} so far`;
  if (intent === "pause") return `${elapsed}, paused: no new run starts`;
  if (intent === "cancel") return `${elapsed}, being cancelled`;
  if (fullDisks.length > 0) return `${elapsed}, paused: ${describeFullDisks(fullDisks)}`;
  const leftMs = timeLeft(progress);
  return leftMs === undefined ? elapsed : `${elapsed}, about ${formatRough(leftMs)} left`;
}
