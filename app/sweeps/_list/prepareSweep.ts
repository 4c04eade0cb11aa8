import { formatCount, formatDuration, formatRough } from "#app/_charts/format.ts";
import type { IconName } from "#app/_ui/Icon.tsx";
import { states } from "#app/_ui/states.ts";
import type { ProgressPart } from "#app/_ui/ProgressBar.tsx";
import { sortItems, type Sort } from "#app/_ui/sorting.tsx";
import type { Tone } from "#app/_ui/StatusPill.tsx";
import { groupBy } from "#packages/base";
import { writeCollapses } from "#packages/detector";
import { pages } from "#server/domain/pages.ts";
import { maxSweepsTogether } from "#server/domain/plan/sweep/maxSweeps.ts";
import type { PlannedPace } from "#server/domain/plan/sweep/estimate/estimate.ts";
import { readableName } from "#server/domain/plan/sweep/readableName.ts";
import type { SweepSummary } from "#server/db/plan/sweeps.ts";
import { describeFullDisks } from "#server/domain/runs/runStatus.ts";
import { isSweepOver, timeLeft } from "#server/domain/runs/progress.ts";
import { titleOfEnvironment } from "#trainer/spec/environmentTexts.ts";

export type SweepState = { tone: Tone; icon: IconName; text: string };

export function prepareState(sweep: SweepSummary): SweepState {
  const { counts, numRuns, intent, origin, importedAt, fullDisks = [] } = sweep;
  const numBusy = counts.starting + counts.running + counts.unknown;
  if (isSweepOver(sweep)) return prepareEnd(counts);
  if (intent === "cancel") return { tone: "warn", icon: "stop", text: "Cancelling" };
  // Runs of an import do not train: their files are still being read.
  if (origin === "import" || (numRuns === 0 && importedAt !== null))
    return { tone: "neutral", icon: "download", text: "Importing" };
  if (intent === "pause") return { tone: "warn", icon: "pause", text: numBusy > 0 ? "Pausing" : "Paused" };
  if (fullDisks.length > 0) return { tone: "bad", icon: "pause", text: `Paused: ${describeFullDisks(fullDisks)}` };
  if (numBusy > 0) return { ...states.running, text: "Running" };
  return { ...states.pending, text: "Waiting" };
}

function prepareEnd({ finished, failed, cancelled }: SweepSummary["counts"]): SweepState {
  if (failed > 0) return { ...states.failed, text: finished > 0 ? `${failed} failed` : "Failed" };
  if (cancelled > 0 || finished === 0)
    return { ...states.cancelled, text: finished > 0 ? `${cancelled} cancelled` : "Cancelled" };
  return { ...states.finished, text: "Finished" };
}

/** Returns the segments of a sweep's progress bar, and their description: "5 finished, 2 running, 1 failed of 8". */
export function prepareProgress({ counts, numRuns }: SweepSummary): { parts: ProgressPart[]; text: string } {
  const parts: ProgressPart[] = [
    { label: "finished", count: counts.finished, tone: "good" },
    { label: "running", count: counts.running + counts.starting, tone: "accent" },
    { label: "not observable", count: counts.unknown, tone: "warn" },
    { label: "failed", count: counts.failed, tone: "bad" },
    { label: "cancelled", count: counts.cancelled, tone: "neutral" },
  ];
  const shown = parts.filter((part) => part.count > 0).map((part) => `${count(part.count)} ${part.label}`);
  if (numRuns === 0) return { parts, text: "no runs yet" };
  if (counts.finished === numRuns) return { parts, text: formatCount(numRuns, "run") };
  return { parts, text: `${shown.join(", ") || "none started"} of ${count(numRuns)}` };
}

export function prepareTime(sweep: SweepSummary, planned: PlannedPace | null | undefined): string {
  const { startedAt, endedAt } = sweep;
  if (!startedAt) return "";
  if (isSweepOver(sweep)) {
    return endedAt ? `took ${formatDuration(endedAt.getTime() - startedAt.getTime())}` : "";
  }
  const leftMs = timeLeft(sweep, planned);
  return leftMs === undefined ? "" : `about ${formatRough(leftMs)} left`;
}

function count(n: number): string {
  return n.toLocaleString("en-US");
}

/** Lists favourites first, then sweeps in progress; archived sweeps only if the text contains "archived". */
export function chooseSweeps(sweeps: readonly SweepSummary[], text: string): SweepSummary[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = sweeps.filter((sweep) => {
    const { name, description, tags, isArchived, isFavourite, methods, environments: ids } = sweep;
    if (isArchived && !words.includes("archived")) return false;
    const marks = [...tags, ...(isArchived ? ["archived"] : []), ...(isFavourite ? ["favourite"] : [])];
    const texts = [...marks, ...methods, ...ids, ...ids.map(titleOfEnvironment), prepareState(sweep).text];
    const searched = [name, readableName(sweep), description, ...texts].join("\n").toLowerCase();
    return words.every((word) => searched.includes(word));
  });
  return found.toSorted(
    (a, b) => Number(b.isFavourite) - Number(a.isFavourite) || Number(isSweepOver(a)) - Number(isSweepOver(b)),
  );
}

export const sweepOrders = ["name", "collapsed", "runs", "created"] as const;
export type SweepOrder = (typeof sweepOrders)[number];

const valueOf: Record<SweepOrder, (sweep: SweepSummary) => number | string | undefined> = {
  name: ({ name }) => name,
  collapsed: ({ numCollapsed, numJudged }) => (numJudged === 0 ? undefined : numCollapsed),
  runs: ({ numRuns }) => numRuns,
  created: ({ createdAt }) => createdAt.getTime(),
};

/**
 * Sweeps of one study, such as "Table 3, Sokoban" and "Table 3, WebShop"; a study of a single sweep has no `title`.
 * `areBranches`: they branch from runs of one sweep, and are folded until the reader opens them.
 */
export type SweepGroup = { title?: string; areBranches?: boolean; sweeps: readonly SweepSummary[] };

function studyOf({ name, branchedFrom }: SweepSummary): string {
  if (branchedFrom) return `Branches of ${branchedFrom.sweepName ?? branchedFrom.runId}`;
  return name.split(",")[0] ?? "";
}

/**
 * Groups sweeps of one study: their names are equal up to the first comma, or they branch from runs of the same sweep.
 * The first sweep gives the position.
 */
export function groupSweeps(sweeps: readonly SweepSummary[], sort: Sort<SweepOrder>): SweepGroup[] {
  const sorted = sort ? sortItems(sweeps, sort.isDescending, valueOf[sort.by]) : sweeps;
  const groups = new Map<string, SweepSummary[]>();
  for (const sweep of sorted) {
    const title = studyOf(sweep);
    groups.set(title, [...(groups.get(title) ?? []), sweep]);
  }
  return [...groups].map(([title, of]) =>
    of.length > 1 ? { title, areBranches: of[0]?.branchedFrom !== undefined, sweeps: of } : { sweeps: of },
  );
}

/** Describes a group for its heading, with all that rows of a folded group would show of its state. */
export function describeGroup(sweeps: readonly SweepSummary[]): string {
  const sum = (of: (sweep: SweepSummary) => number) => sweeps.reduce((total, sweep) => total + of(sweep), 0);
  const judged = {
    numJudged: sum(({ numJudged }) => numJudged),
    numCollapsed: sum(({ numCollapsed }) => numCollapsed),
    numUnclear: sum(({ numUnclear }) => numUnclear),
  };
  const runs = formatCount(
    sum(({ numRuns }) => numRuns),
    "run",
  );
  const open = groupBy(
    sweeps.filter((sweep) => !isSweepOver(sweep)),
    (sweep) => prepareState(sweep).text.replace(/^./, (first) => first.toLowerCase()),
  );
  const ended = [
    { count: sum(({ counts }) => counts.failed), noun: "failed run" },
    { count: sum(({ counts }) => counts.cancelled), noun: "cancelled run" },
    { count: sum(({ isFavourite }) => Number(isFavourite)), noun: "favourite" },
  ].filter(({ count: n }) => n > 0);
  return [
    [
      formatCount(sweeps.length, "sweep"),
      runs,
      ...(judged.numJudged > 0 ? [writeCollapses(judged, "judged run")] : []),
    ].join(", "),
    ...[...open].map(([state, of]) => `${count(of.length)} ${state}`),
    ...ended.map(({ count: n, noun }) => formatCount(n, noun)),
  ].join("; ");
}

/** Pages of all sweeps of a group. */
const ofStudy = [
  { path: pages.stability, text: "Stability" },
  { path: pages.tables, text: "Table" },
];
const ofBranches = [{ path: pages.rescue, text: "Result of the branches" }];

/** Lists links to pages of a group. Branches that are too many for an address are those of their runs' sweeps. */
export function listGroupLinks({ areBranches = false, sweeps }: SweepGroup): { text: string; href: string }[] {
  const origins = new Set(sweeps.flatMap(({ branchedFrom }) => branchedFrom?.sweepId ?? []));
  const all = sweeps.map(({ id }) => id);
  const ids = areBranches && all.length > maxSweepsTogether ? [...origins] : all;
  if (ids.length === 0 || ids.length > maxSweepsTogether) return [];
  const query = ids.map((id) => `sweep=${encodeURIComponent(id)}`).join("&");
  return (areBranches ? ofBranches : ofStudy).map(({ path, text }) => ({ text, href: `${path}?${query}` }));
}
