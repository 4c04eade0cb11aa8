import { groupBy } from "#packages/base";
import type { CellRow, RunRow } from "#server/db/runs/runs.ts";
import { nameAlarm, nameOutcome, type StabilityFacts } from "#packages/detector";
import { describeIteration } from "#server/domain/runs/progress.ts";
import { explainState, nameState, states } from "#app/_ui/states.ts";
import { type Sort, sortItems } from "#app/_ui/sorting.tsx";
import type { Metric } from "#trainer/spec/metric.ts";
import { labelColumns } from "#server/domain/plan/sweep/labels/labels.ts";

export type SeedMark = ReturnType<typeof markSeed>;

export type Row = ReturnType<typeof prepareRow>;

type Known = {
  runs: readonly RunRow[];
  /** Detector's alarm and outcome in hindsight, by run id; empty while loading. */
  facts: ReadonlyMap<string, StabilityFacts>;
};

export function prepareRow(cell: CellRow, { runs, facts }: Known) {
  const cellRuns = runs.filter(({ cellId }) => cellId === cell.id).toSorted((a, b) => a.seed - b.seed);
  const times = cellRuns.flatMap(({ startedAt, endedAt }) =>
    startedAt && endedAt ? [endedAt.getTime() - startedAt.getTime()] : [],
  );
  return {
    cell,
    seeds: cellRuns.map((run) => markSeed(run, cell.iterations, facts.get(run.id))),
    // Failed and cancelled runs can be retried.
    gone: cellRuns.filter(({ status }) => status === "failed" || status === "cancelled"),
    meanMs: times.length === 0 ? undefined : times.reduce((sum, ms) => sum + ms, 0) / times.length,
    numCollapsed: cellRuns.filter(({ id }) => facts.get(id)?.hindsight.word.startsWith("collapsed")).length,
  };
}

/** Returns the icon and words for a run: its outcome if finished, its alarm while it trains, else the run's state. */
function markSeed(run: RunRow, iterations: number, facts: StabilityFacts | undefined) {
  const state = nameState(run.status, run.reason);
  const isUnderWay = run.status === "running" || run.status === "starting";
  const sign = signOf(run, facts);
  const { icon, tone } = sign ?? states[run.status];
  const progress = describeIteration(run.latestIteration, iterations);
  const attempts = run.numAttempts > 1 ? `, attempt ${run.numAttempts}` : "";
  const said =
    facts && facts.alarm.word !== "not judged yet"
      ? ` ${facts.alarm.word === "none" ? "" : "Alarm: "}${nameAlarm(facts.alarm)}.`
      : "";
  const happened =
    facts && facts.hindsight.word !== "not judged yet" ? ` In hindsight: ${nameOutcome(facts.hindsight)}.` : "";
  const alarm = facts && facts.alarm.iteration !== null ? nameAlarm(facts.alarm) : "";
  return {
    run,
    icon,
    tone,
    progress,
    share: iterations > 0 ? Math.min(1, run.latestIteration / iterations) : 0,
    isUnderWay,
    word: sign?.word ?? state,
    // The alarm is empty if `word` already states it.
    alarm: sign?.word === alarm ? "" : alarm,
    label: `Seed ${run.seed}: ${state}, ${progress}${attempts}.${happened}${said}`,
    explanation: explainState(run.status, run.reason, run.text),
  };
}

/** Returns a run's outcome or alarm; undefined if it failed, was cancelled, waits, or runs without an alarm. */
function signOf({ status }: RunRow, facts: StabilityFacts | undefined) {
  // A check mark is shown only once the outcome is known, because the run may have collapsed.
  if (status === "finished" && (!facts || facts.hindsight.word === "not judged yet")) {
    return { ...states["not judged yet"], word: "Finished" };
  }
  if (!facts) return undefined;
  const { alarm, hindsight } = facts;
  if (status === "finished") return { ...states[hindsight.word], word: nameOutcome(hindsight) };
  const isUnderWay = status === "running" || status === "starting" || status === "unknown";
  return isUnderWay && alarm.iteration !== null ? { ...states[alarm.word], word: nameAlarm(alarm) } : undefined;
}

export type Line = {
  row: Row;
  /** Full name of the configuration, as in chart legends. */
  name: string;
  /** Shortened name, without the settings that have their own column. */
  title: string;
  settings: readonly string[];
  color: string;
  mark: number | undefined;
  /** Result on the headline metric; undefined until one of the configuration's runs has a value. */
  figure: { figure: string; n: number; mean: number; difference?: string | undefined } | undefined;
};

type Order = {
  settings: readonly string[];
  /** Direction of the result by which rows are sorted at first; "none": the order of the plan, kept while runs go on. */
  better: Metric["better"];
};

/** Columns by which a row is sorted. */
type Sortable = Pick<Line, "row" | "name" | "settings" | "figure">;

/** Sorts the rows by the column or setting that the reader chose; without a choice, by result, best first. */
export function sortLines<One extends Sortable>(
  lines: readonly One[],
  sort: Sort<string>,
  { settings, better }: Order,
): readonly One[] {
  if (!sort && better === "none") return lines;
  if (!sort) return sortItems(lines, better === "up", ({ figure }) => figure?.mean);
  const index = settings.indexOf(sort.by);
  return sortItems(lines, sort.isDescending, (line) => {
    if (index >= 0) return toSortable(line.settings[index] ?? "");
    if (sort.by === "name") return line.name;
    if (sort.by === "final") return line.figure?.mean;
    if (sort.by === "time") return line.row.meanMs;
    return line.row.numCollapsed;
  });
}

type Ordering = Known & {
  figures: readonly { cellId: number; mean: number }[];
  sort: Sort<string>;
  better: Order["better"];
};

/** Sorts all configurations of a sweep as `sortLines` does, so that the first of its pages has the best. */
export function orderCells(cells: readonly CellRow[], { runs, facts, figures, sort, better }: Ordering): CellRow[] {
  const columns = labelColumns(cells.map(({ label }) => label));
  const figureOf = new Map(figures.map(({ cellId, mean }) => [cellId, { figure: "", n: 0, mean }]));
  const runsOf = groupBy(runs, ({ cellId }) => cellId);
  const lines = cells.map((cell, i) => ({
    row: prepareRow(cell, { runs: runsOf.get(cell.id) ?? [], facts }),
    name: `${cell.method} ${cell.label}`,
    settings: columns?.rows[i]?.values ?? [],
    figure: figureOf.get(cell.id),
  }));
  return sortLines(lines, sort, { settings: columns?.names ?? [], better }).map(({ row }) => row.cell);
}

/** Returns a setting's text for sorting: as a number if it is one; undefined if it is empty. */
function toSortable(text: string): number | string | undefined {
  if (text === "") return undefined;
  return Number.isNaN(Number(text)) ? text : Number(text);
}
