import { shortLabel } from "#server/domain/plan/sweep/labelTitles.ts";
import type { CellRow, RunRow } from "#server/db/runs/runs.ts";
import { isOver } from "#server/domain/runs/runStatus.ts";
import {
  countOver,
  countRuns,
  formatCounts,
  formatProgress,
  progressOf,
  sumTrained,
  type RunCounts,
} from "#server/domain/runs/progress.ts";
import { describeUntaught } from "#packages/detector";
import { paint, toPlain, truncate } from "./columns.ts";
import { reasonText } from "./states.ts";
import type { Snapshot } from "../client/watch.ts";
import { formatCount } from "#packages/base";

type Size = { width: number; height: number; hasColour: boolean };

/**
 * A progress bar for the sweep and one per cell, limited to the terminal's height; unfinished cells come first then.
 */
export function toProgress({ sweep, cells, runs, isAttended, numUntaught }: Snapshot, size: Size): string[] {
  const bars = cells.map((cell) => {
    const cellRuns = runs.filter((run) => run.cellId === cell.id);
    return toBar(toPlain([cell.method, shortLabel(cell.label)].filter(Boolean).join(" · ")), [cell], cellRuns);
  });
  const total = toBar("all runs", cells, runs);
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

/** Log lines since the last snapshot: first all active runs, then each change of status. */
export function toChanges(before: Snapshot | undefined, now: Snapshot): string[] {
  const { sweep, runs, isAttended, numUntaught } = now;
  const statusOf = new Map(before?.runs.map((run) => [run.id, run.status]));
  const changed = runs.filter(({ id, status }) => status !== (statusOf.get(id) ?? "pending"));
  const numOver = countOver(countRuns(runs));
  const lines = changed.map((run) => {
    const why = reasonText(run);
    return toPlain(`${run.id} ${run.status}${why === "" ? "" : `, ${why}`}`);
  });
  if (before?.isAttended !== isAttended && !isAttended) lines.push(unattended);
  const untaught = describeUntaught(numUntaught, runs.length);
  // Only an increase is reported; a decrease shows that the runs learn.
  if (untaught !== undefined && numUntaught > (before?.numUntaught ?? 0)) lines.push(untaught);
  const isNews = changed.some(({ status }) => isOver(status));
  return isNews ? [...lines, `${numOver} of ${formatCount(sweep.numRuns, "run")} over`] : lines;
}

type Bar = { name: string; share: number; counts: RunCounts; isOver: boolean };

function toBar(name: string, cells: readonly CellRow[], runs: readonly RunRow[]): Bar {
  const budgets = new Map(cells.map(({ id, iterations }) => [id, iterations]));
  const counts = countRuns(runs);
  const trained = sumTrained(runs.map((run) => ({ ...run, iterations: budgets.get(run.cellId) ?? 0 })));
  return { name, share: progressOf(trained, counts), counts, isOver: countOver(counts) === runs.length };
}

const eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

function drawBar({ name, share, counts, isOver }: Bar, nameWidth: number, { width, hasColour }: Size): string {
  const label = truncate(name, nameWidth).padEnd(nameWidth);
  const percent = formatProgress(share).padStart(5);
  const text = formatCounts(counts);
  const barWidth = Math.max(4, Math.min(30, width - nameWidth - 9 - text.length));
  const filled = Math.floor(share * barWidth * 8);
  const bar = `${"█".repeat(Math.floor(filled / 8))}${eighths[filled % 8] ?? ""}`.padEnd(barWidth, "·");
  // The rest of the line shows the counts; colour is applied last, since it has no width.
  const rest = truncate(text, Math.max(0, width - nameWidth - barWidth - 9));
  return `${label} ${paint(bar, counts.failed > 0 ? "red" : isOver && counts.cancelled === 0 ? "green" : "cyan", hasColour)} ${percent}  ${rest}`.trimEnd();
}
