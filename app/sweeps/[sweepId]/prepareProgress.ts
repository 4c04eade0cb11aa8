import { formatCount, formatDuration, formatRough } from "#app/_charts/format.ts";
import { runLooks } from "#app/_charts/runLooks.ts";
import type { ProgressPart } from "#app/_ui/ProgressBar.tsx";
import { runStatuses, describeFullDisks, statusWords, type RunStatus } from "#server/domain/runStatus.ts";
import { type Pace, timeLeft } from "#server/domain/sweep/pace.ts";

type Progress = Pace & { startedAt: Date | null; endedAt: Date | null; fullDisks?: readonly string[] };

/** The bar's parts in the order of a run's life, what is over first; pending runs stay empty. */
const order = [
  "finished",
  "failed",
  "cancelled",
  "running",
  "starting",
  "unknown",
] as const satisfies readonly RunStatus[];

export function prepareParts(counts: Record<RunStatus, number>): ProgressPart[] {
  return order.map((status) => {
    const { title } = statusWords[status];
    return { label: title.toLowerCase(), count: counts[status], tone: runLooks[status].tone };
  });
}

/** "3 running, 1 failed, 4 pending": only what there is. */
export function formatCounts(counts: Record<RunStatus, number>): string {
  const parts = runStatuses.flatMap((status) =>
    counts[status] > 0 ? [`${counts[status]} ${statusWords[status].title.toLowerCase()}`] : [],
  );
  return parts.join(", ");
}

/** Time since the first run started, and time to come where the sweep's own pace tells. */
export function formatTime(progress: Progress, nowMs: number): string {
  const { startedAt, endedAt, iterationsDone, intent, counts, fullDisks = [] } = progress;
  const live = counts.running + counts.starting + counts.unknown;
  const isOver = live === 0 && counts.pending === 0;
  // Files of other trainers need not tell when.
  if (!startedAt && isOver) return "";
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
