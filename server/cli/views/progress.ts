import { shortLabel } from "#server/domain/sweep/labelTitles.ts";
import type { CellRow, RunRow } from "#server/db/runs.ts";
import { isOver, type RunStatus, runStatuses } from "#server/domain/runStatus.ts";
import { describeUntaught } from "#server/domain/stability/verdict/describeUntaught.ts";
import { paint, type Style, toPlain, truncate } from "./columns.ts";
import { reasonText } from "./states.ts";
import type { Snapshot } from "../client/watch.ts";
import { formatCount } from "#server/domain/words.ts";

type Size = { width: number; height: number; hasColour: boolean };

/** A bar for the sweep and one per cell, as many as the terminal has lines for; the unfinished come first then. */
export function toProgress({ sweep, cells, runs, isAttended, numUntaught }: Snapshot, size: Size): string[] {
  const bars = cells.map((cell) => {
    const cellRuns = runs.filter((run) => run.cellId === cell.id);
    return toBar(cell, cellRuns);
  });
  const total = { name: "all runs", fraction: mean(bars.map(({ fraction }) => fraction)), runs };
  const room = Math.max(1, size.height - 4);
  const shown =
    bars.length <= room ? bars : bars.toSorted((a, b) => Number(a.isOver) - Number(b.isOver)).slice(0, room);
  const hidden = bars.length - shown.length;
  const nameWidth = Math.min(
    Math.max(...[total, ...shown].map(({ name }) => Array.from(name).length)),
    Math.floor(size.width / 3),
  );
  return [
    ...[total, ...shown].map((bar) => drawBar(bar, nameWidth, size)),
    ...(hidden > 0 ? [truncate(`${hidden} of ${formatCount(bars.length, "cell")} not shown`, size.width)] : []),
    ...(isAttended ? [] : [truncate(unattended, size.width)]),
    ...[describeUntaught(numUntaught, runs.length) ?? []].flat().map((text) => truncate(text, size.width)),
    ...(sweep.intent === "pause" ? [truncate("the sweep is paused: no new run starts", size.width)] : []),
  ];
}

const unattended = "no orchestrator is alive: nothing starts or ends until `npm start` runs";

/** What is worth a line of a log since the last look: at first all that are under way, then each change of status. */
export function toChanges(before: Snapshot | undefined, now: Snapshot): string[] {
  const { sweep, runs, isAttended, numUntaught } = now;
  const statusOf = new Map(before?.runs.map((run) => [run.id, run.status]));
  const changed = runs.filter(({ id, status }) => status !== (statusOf.get(id) ?? "pending"));
  const numOver = runs.filter(({ status }) => isOver(status)).length;
  const lines = changed.map((run) => {
    const why = reasonText(run);
    return toPlain(`${run.id} ${run.status}${why === "" ? "" : `, ${why}`}`);
  });
  if (before?.isAttended !== isAttended && !isAttended) lines.push(unattended);
  const untaught = describeUntaught(numUntaught, runs.length);
  // More of them are news; that fewer are left shows that they learn.
  if (untaught !== undefined && numUntaught > (before?.numUntaught ?? 0)) lines.push(untaught);
  const isNews = changed.some(({ status }) => isOver(status));
  return isNews ? [...lines, `${numOver} of ${formatCount(sweep.numRuns, "run")} over`] : lines;
}

type Bar = { name: string; fraction: number; runs: readonly RunRow[] };

function toBar(cell: CellRow, runs: readonly RunRow[]): Bar & { isOver: boolean } {
  const name = toPlain([cell.method, shortLabel(cell.label)].filter(Boolean).join(" · "));
  // A run that failed or was cancelled has no more to do, so the bar of a sweep that is over is full.
  const done = runs.map((run) => (isOver(run.status) ? 1 : Math.min(1, run.latestIteration / cell.iterations)));
  return { name, fraction: mean(done), runs, isOver: runs.every(({ status }) => isOver(status)) };
}

const eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

function drawBar({ name, fraction, runs }: Bar, nameWidth: number, { width, hasColour }: Size): string {
  const label = truncate(name, nameWidth).padEnd(nameWidth);
  const percent = `${Math.floor(fraction * 100)} %`.padStart(5);
  const counts = countText(runs);
  const barWidth = Math.max(4, Math.min(30, width - nameWidth - 9 - counts.length));
  const filled = Math.floor(fraction * barWidth * 8);
  const bar = `${"█".repeat(Math.floor(filled / 8))}${eighths[filled % 8] ?? ""}`.padEnd(barWidth, "·");
  // What remains of the line is for the counts; colour comes last, since it has no width.
  const rest = truncate(counts, Math.max(0, width - nameWidth - barWidth - 9));
  return `${label} ${paint(bar, barStyle(runs), hasColour)} ${percent}  ${rest}`.trimEnd();
}

function barStyle(runs: readonly RunRow[]): Style {
  if (runs.some(({ status }) => status === "failed")) return "red";
  return runs.every(({ status }) => status === "finished") ? "green" : "cyan";
}

function countText(runs: readonly RunRow[]): string {
  const numOf = (status: RunStatus): number => runs.filter((run) => run.status === status).length;
  const order = runStatuses.toReversed();
  return order
    .filter((status) => numOf(status) > 0)
    .map((status) => `${numOf(status)} ${status}`)
    .join(", ");
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 1 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
