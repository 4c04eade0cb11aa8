import { sayStart } from "#server/config/startCommand.ts";
import { formatCount } from "#packages/base";
import { describeUntaught, nameAlarm, type StabilityFacts } from "#packages/detector";
import { shortLabel } from "#server/domain/plan/sweep/labels/labelTitles.ts";
import {
  countOver,
  countRuns,
  formatCounts,
  formatProgress,
  progressOf,
  type RunCounts,
  sumTrained,
} from "#server/domain/runs/progress.ts";
import { isOver } from "#server/domain/runs/runStatus.ts";
import type { Screen } from "../command.ts";
import type { CellRow, RunRow } from "#server/db/runs/runs.ts";
import type { Snapshot } from "../client/watch.ts";
import { paint, toPlain, truncate } from "./columns.ts";
import { reasonText } from "./states.ts";

/** Makes a view of a sweep's progress: redraws its lines on a terminal, elsewhere writes one line per change. */
export function makeProgressView(screen: Screen): (snapshot: Snapshot) => void {
  let numDrawn = 0;
  let last: Snapshot | undefined;
  return (snapshot) => {
    const { width, height = 24, hasColour } = screen;
    if (width === undefined) {
      const time = new Date().toISOString().slice(11, 19);
      for (const line of toChanges(last, snapshot)) screen.write(`${time} ${line}\n`);
      last = snapshot;
      return;
    }
    const lines = toProgress(snapshot, { width, height, hasColour });
    const back = numDrawn > 0 ? `\u001B[${numDrawn}A\u001B[0J` : "";
    screen.write(`${back}${lines.join("\n")}\n`);
    numDrawn = lines.length;
  };
}

export function makeEventView(writeJson: (event: object) => void): (snapshot: Snapshot) => void {
  let last: Snapshot | undefined;
  return (snapshot) => {
    for (const event of toEvents(last, snapshot)) writeJson(event);
    last = snapshot;
  };
}

/** Output line of `watch --json`. */
type WatchEvent = Pick<RunRow, "seed" | "status" | "reason"> &
  Pick<CellRow, "method" | "label"> & {
    event: "run";
    run: string;
    iteration: number;
    alarm: StabilityFacts["alarm"] | null;
  };

/** Returns one event for each run whose state, iteration or alarm has changed. */
export function toEvents(before: Snapshot | undefined, now: Snapshot): WatchEvent[] {
  const { runs, cells, alarms } = now;
  const cellOf = new Map(cells.map((cell) => [cell.id, cell]));
  const known = new Map(before?.runs.map((run) => [run.id, run]));
  const isNews = (run: RunRow) => {
    const last = known.get(run.id);
    const isOther = last?.status !== run.status || last.latestIteration !== run.latestIteration;
    return isOther || isNewAlarm(before, now, run);
  };
  return runs.filter(isNews).map(({ id, cellId, seed, status, reason, latestIteration }) => ({
    event: "run",
    run: id,
    method: cellOf.get(cellId)?.method ?? "",
    label: cellOf.get(cellId)?.label ?? "",
    seed,
    status,
    reason,
    iteration: latestIteration,
    alarm: alarms.get(id) ?? null,
  }));
}

function isNewAlarm(before: Snapshot | undefined, now: Snapshot, { id }: Pick<RunRow, "id">): boolean {
  return before?.alarms.get(id)?.word !== now.alarms.get(id)?.word;
}

/** Returns one line for each of these runs that has an alarm, such as "s-c0-s1: Unstable at 29". */
function listAlarms({ alarms }: Snapshot, runs: readonly RunRow[]): string[] {
  return runs.flatMap(({ id }) => {
    const alarm = alarms.get(id);
    return alarm?.word === "unstable" || alarm?.word === "collapsed" ? [toPlain(`${id}: ${nameAlarm(alarm)}`)] : [];
  });
}

type Size = { width: number; height: number; hasColour: boolean };

/**
 * Returns progress bars and messages within the terminal's height; if not all bars fit, unfinished cells come first.
 */
export function toProgress(now: Snapshot, size: Size): string[] {
  const { sweep, cells, runs, isAttended, numUntaught } = now;
  const bars = cells.map((cell) => {
    const cellRuns = runs.filter((run) => run.cellId === cell.id);
    return toBar(toPlain([cell.method, shortLabel(cell.label)].filter(Boolean).join(" · ")), [cell], cellRuns);
  });
  const total = toBar("all runs", cells, runs);
  const alarms = listAlarms(now, runs);
  const room = Math.max(1, size.height - 4 - Math.min(1, alarms.length));
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
    ...(alarms.length > 0
      ? [truncate(`${formatCount(alarms.length, "alarm")}: ${alarms.join("; ")}`, size.width)]
      : []),
    ...(isAttended ? [] : [truncate(unattended, size.width)]),
    ...[describeUntaught(numUntaught, runs.length) ?? []].flat().map((text) => truncate(text, size.width)),
    ...(sweep.intent === "pause" ? [truncate("the sweep is paused: no new run starts", size.width)] : []),
  ];
}

const unattended = `the orchestrator is not running: no run starts or ends until you run \`${sayStart()}\``;

/** Lists at first all runs that have begun, then each new status and each new alarm. */
export function toChanges(before: Snapshot | undefined, now: Snapshot): string[] {
  const { sweep, runs, isAttended, numUntaught } = now;
  const statusOf = new Map(before?.runs.map((run) => [run.id, run.status]));
  const changed = runs.filter(({ id, status }) => status !== (statusOf.get(id) ?? "pending"));
  const numOver = countOver(countRuns(runs));
  const alarmed = runs.filter((run) => isNewAlarm(before, now, run));
  const lines = [...changed.map(sayRun), ...listAlarms(now, alarmed)];
  if (before?.isAttended !== isAttended && !isAttended) lines.push(unattended);
  const untaught = describeUntaught(numUntaught, runs.length);
  // Only an increase in the number of runs without success is reported; a decrease shows that runs learn.
  if (untaught !== undefined && numUntaught > (before?.numUntaught ?? 0)) lines.push(untaught);
  const isNews = changed.some(({ status }) => isOver(status));
  return isNews ? [...lines, `${numOver} of ${formatCount(sweep.numRuns, "run")} ended`] : lines;
}

/** Formats a run with its state and the reason for it: "s-c0-s1 failed, Out of memory". */
export function sayRun(run: Pick<RunRow, "id" | "status" | "reason" | "text">): string {
  return toPlain([`${run.id} ${run.status}`, reasonText(run)].filter(Boolean).join(", "));
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
  // The rest of the line shows the counts. Colour is added last, because its escape codes have no width.
  const rest = truncate(text, Math.max(0, width - nameWidth - barWidth - 9));
  return `${label} ${paint(bar, counts.failed > 0 ? "red" : isOver && counts.cancelled === 0 ? "green" : "cyan", hasColour)} ${percent}  ${rest}`.trimEnd();
}
