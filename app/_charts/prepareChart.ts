import type { Chart, ChartBand, RunMark } from "#server/domain/series/chartData.ts";
import type { GhostLine } from "#server/domain/series/ghosts.ts";
import { countsEpochs } from "#trainer/spec/event.ts";
import { describeMetric, type Metric } from "#trainer/spec/metric.ts";
import { formatCount } from "./format.ts";
import { fewestCrowded, nameBand, overOf } from "./overSeeds.ts";
import type { LegendEntry, RunName, XAxisName } from "./names.ts";
import { prepareYAxis, type YAxisModel } from "./prepareAxis.ts";
import { prepareMarks, formatMarks, type Mark } from "./prepareMarks.ts";
import { prepareRestarts, formatRestarts, type ChartRestart, type RestartTick } from "./prepareRestarts.ts";
import { prepareFlags, formatFlags, type ChartEvent, type Flag } from "./prepareFlags.ts";
import { positiveOnly, toSegments, withinRange, withinShares, type Point } from "./segments.ts";
import type { ChartSettings } from "./settings.ts";
import { smoothBand } from "./smoothBand.ts";
import { iterationTicks } from "./ticks.ts";

export type DrawnLine = {
  id: string;
  color: string;
  dash: string | undefined;
  /**
   * `partial` is the end of a mean that only some of its seeds have reached: the others ended or are behind.
   * `ghost` is what an earlier attempt logged beyond where a later one went on.
   */
  weight: "line" | "partial" | "faint" | "seed" | "ghost";
  segments: Point[][];
};

/** Everything a chart draws and says; the component decides nothing. */
export type ChartModel = {
  key: string;
  title: string;
  unit: string;
  meaning: string;
  bandName: string;
  x: { name: XAxisName; domain: [number, number]; ticks: number[] };
  y: YAxisModel;
  lines: DrawnLine[];
  areas: { id: string; color: string; segments: Point[][] }[];
  /** So many lines that their bands and dots would hide each other: only those of the line pointed at are drawn. */
  isCrowded: boolean;
  marks: Mark[];
  /** Where the detector raised an alarm, as lines across the plot. */
  flags: Flag[];
  /** Where attempts after the first began. */
  restarts: RestartTick[];
  /** What a reader must know to not be misled: reductions, smoothing, values that cannot be drawn. */
  notes: string[];
  rows: ValueRow[];
};

/** A line's numbers for the cursor and for the table under the chart; never smoothed. */
export type ValueRow = { entry: LegendEntry; band: ChartBand };

/** What is known of the runs beside their values. */
type ChartContext = {
  events?: readonly ChartEvent[];
  restarts?: readonly ChartRestart[];
  /** Of all charts of the page; empty unless asked for. */
  ghosts?: readonly GhostLine[];
};

/**
 * A chart that says itself what it shows, where the catalogue has no entry for it. `ofRun`: its lines are parts of this
 * one run, whose alarms and restarts belong to none of them.
 */
export type DescribedChart = Chart & { about?: Metric; ofRun?: string };

type ChartInput = {
  chart: DescribedChart;
  legend: readonly LegendEntry[];
  runs: ReadonlyMap<string, RunName>;
  settings: ChartSettings;
};

export function prepareChart(
  { chart, legend, runs, settings: chosen }: ChartInput,
  { events = [], restarts = [], ghosts = [] }: ChartContext = {},
): ChartModel {
  const isByEpoch = countsEpochs(chart.key);
  const settings = isByEpoch ? { ...chosen, range: null } : chosen;
  const metric = chart.about ?? describeMetric(chart.key);
  const isLog = settings.log.has(chart.key);
  const over = overOf(settings, legend.length);
  const hasBand = over !== "mean";
  const entryOf = entriesByCell(legend.filter((entry) => !settings.hidden.has(entry.id)));
  const rows = listRows(chart, entryOf);
  const chartGhosts = ghosts.filter(
    ({ key, runId }) => key === chart.key && entryOf.has(runs.get(runId)?.cellId ?? -1),
  );
  const { lines, areas, numDropped } = drawLines(
    { rows, seeds: settings.seeds ? chart.lines : [], ghosts: chartGhosts },
    (runId) => entryOf.get(runs.get(runId)?.cellId ?? -1),
    { settings, hasBand, isLog, isShare: metric.unit === "fraction" },
  );
  const marks = prepareMarks(chart.nonFinite.filter(isShown(runs, entryOf, settings)), runs, entryOf);
  const [owners, entryOfOwner] = chart.ofRun === undefined ? [runs, entryOf] : asOne(chart.ofRun);
  const isDrawn = isShown(owners, entryOfOwner, settings);
  const flags = isByEpoch ? [] : prepareFlags(events.filter(isDrawn), owners, entryOfOwner);
  const ticks = isByEpoch ? [] : prepareRestarts(restarts.filter(isDrawn), owners, entryOfOwner);
  const points = lines.flatMap((line) => line.segments.flat());
  const isCrowded = rows.length >= fewestCrowded;
  return {
    key: chart.key,
    title: metric.title,
    unit: metric.unit,
    meaning: metric.meaning,
    bandName:
      nameBand(
        rows.flatMap(({ band }) => band.counts),
        over,
        isCrowded,
      ) ?? describeEmpty(entryOf, runs),
    x: { name: isByEpoch ? "Epoch" : "Iteration", ...prepareXAxis(points, marks, settings.range) },
    y: prepareYAxis(points, { hasBand: hasBand && !isCrowded, isLog, unit: metric.unit }),
    lines,
    areas,
    isCrowded,
    marks,
    flags,
    restarts: ticks,
    notes: [
      ...formatMarks(marks, chart.numUnlisted),
      ...formatFlags(flags, owners.size === 1),
      ...formatRestarts(ticks, formatGhosts(chartGhosts, rows)),
      ...formatNotes(rows, numDropped, settings.smoothing),
    ],
    rows,
  };
}

function entriesByCell(entries: readonly LegendEntry[]): ReadonlyMap<number, LegendEntry> {
  return new Map(entries.map((entry) => [entry.cellId, entry]));
}

function listRows(chart: Chart, entryOf: ReadonlyMap<number, LegendEntry>): ChartModel["rows"] {
  return chart.bands.flatMap((band) => {
    const entry = entryOf.get(band.cellId);
    return entry ? [{ entry, band }] : [];
  });
}

type Drawable = { rows: ChartModel["rows"]; seeds: Chart["lines"]; ghosts: readonly GhostLine[] };
type Drawing = { settings: ChartSettings; hasBand: boolean; isLog: boolean; isShare: boolean };

/** Lines and bands in the order in which they cover each other: seeds, replaced attempts, then means. */
function drawLines(
  { rows, seeds, ghosts }: Drawable,
  entryOfRun: (runId: string) => LegendEntry | undefined,
  { settings, hasBand, isLog, isShare }: Drawing,
): { lines: DrawnLine[]; areas: ChartModel["areas"]; numDropped: number } {
  let numDropped = 0;
  const fit: Fit = (segments) => {
    const inRange = withinRange(isShare ? withinShares(segments) : segments, settings.range);
    if (!isLog) return inRange;
    const positive = positiveOnly(inRange);
    numDropped += positive.numDropped;
    return positive.segments;
  };
  const drawRun = (weight: "seed" | "ghost") => (line: Chart["lines"][number] | GhostLine) => {
    const entry = entryOfRun(line.runId);
    if (!entry) return [];
    const dash = weight === "ghost" ? "1.5 3" : entry.dash;
    return [{ id: entry.id, color: entry.color, dash, weight, segments: fit(toSegments(line)) }];
  };
  const ofRuns = [...seeds.flatMap(drawRun("seed")), ...ghosts.flatMap(drawRun("ghost"))];
  const means = rows.map((row) => drawMean(row, settings, fit));
  return {
    lines: [...ofRuns, ...means.flatMap(({ lines }) => lines)],
    areas: hasBand ? means.map(({ area }) => area) : [],
    numDropped,
  };
}

type Fit = (segments: Point[][]) => Point[][];

/** A configuration's mean: full as far as all its runs came, faint from there on, and behind it what was not smoothed. */
function drawMean({ entry, band }: ChartModel["rows"][number], settings: ChartSettings, fit: Fit) {
  const { id, color, dash } = entry;
  const { smoothing } = settings;
  const raw = fit(toSegments(band));
  const segments = smoothing === 0 ? raw : fit(toSegments({ ...band, ...smoothBand(band, smoothing) }));
  const common = lastCommon(band);
  const partial = withinRange(segments, [common, Number.POSITIVE_INFINITY]);
  const line = (weight: DrawnLine["weight"], drawn: Point[][]): DrawnLine => ({
    id,
    color,
    dash,
    weight,
    segments: drawn,
  });
  const lines = [
    ...(smoothing > 0 ? [line("faint", raw)] : []),
    line("line", withinRange(segments, [Number.NEGATIVE_INFINITY, common])),
    ...(partial.some((segment) => segment.length > 1) ? [line("partial", partial)] : []),
  ];
  return { lines, area: { id, color, segments } };
}

/** Where a chart's lines are parts of one run: that run as one line, as other charts draw it. */
function asOne(runId: string): [ReadonlyMap<string, RunName>, ReadonlyMap<number, LegendEntry>] {
  const entry = { cellId: 0, id: runId, label: "", color: "var(--muted)", dash: undefined };
  return [new Map([[runId, { runId, cellId: 0, seed: 0 }]]), new Map([[0, entry]])];
}

/** Whether replaced attempts logged other values than those that replaced them: a deterministic trainer logs the same. */
function formatGhosts(ghosts: readonly GhostLine[], rows: readonly ValueRow[]): "none" | "same" | "other" {
  if (ghosts.length === 0) return "none";
  const [row] = rows;
  const isOne = rows.length === 1 && row !== undefined && row.band.counts.every((count) => count === 1);
  if (!isOne) return "other";
  const now = new Map(row.band.iterations.map((iteration, i) => [iteration, row.band.values[i]]));
  const isSame = ({ iterations, values }: GhostLine) => iterations.every((x, i) => now.get(x) === values[i]);
  return ghosts.every(isSame) ? "same" : "other";
}

function isShown(
  runs: ReadonlyMap<string, RunName>,
  entryOf: ReadonlyMap<number, LegendEntry>,
  { range }: ChartSettings,
): (value: Pick<RunMark, "runId" | "iteration">) => boolean {
  return ({ runId, iteration }) =>
    entryOf.has(runs.get(runId)?.cellId ?? -1) && (!range || (iteration >= range[0] && iteration <= range[1]));
}

/** The last iteration whose mean is over as many seeds as any. */
function lastCommon({ iterations, counts }: ChartBand): number {
  const most = counts.reduce((a, b) => Math.max(a, b), 0);
  return iterations[counts.lastIndexOf(most)] ?? Number.POSITIVE_INFINITY;
}

/** Whether a first value may still come: not where all runs shown are over. */
function describeEmpty(entryOf: ReadonlyMap<number, LegendEntry>, runs: ReadonlyMap<string, RunName>): string {
  const shownRuns = [...runs.values()].filter(({ cellId }) => entryOf.has(cellId));
  return shownRuns.length > 0 && shownRuns.every(({ isOver }) => isOver)
    ? "no finite value was logged"
    : "no finite value yet";
}

function prepareXAxis(
  points: readonly Point[],
  marks: readonly Mark[],
  range: readonly [number, number] | null,
): Omit<ChartModel["x"], "name"> {
  const iterations = [...points.map((point) => point.x), ...marks.map((mark) => mark.x)];
  const from = range?.[0] ?? iterations.reduce((a, b) => Math.min(a, b), 0);
  const to = range?.[1] ?? iterations.reduce((a, b) => Math.max(a, b), from + 1);
  return { domain: [from, to], ticks: iterationTicks(from, to) };
}

function formatNotes(rows: readonly ValueRow[], numDropped: number, smoothing: number): string[] {
  const drawn = rows.reduce((sum, { band }) => sum + band.iterations.length, 0);
  const stored = rows.reduce((sum, { band }) => sum + band.numPoints, 0);
  const partial = rows.flatMap(({ entry, band }) => {
    const [most, last] = [band.counts.reduce((a, b) => Math.max(a, b), 0), band.counts.at(-1) ?? 0];
    return last < most ? [`${entry.label} ${most} → ${formatCount(last, "seed")} after ${lastCommon(band)}`] : [];
  });
  return [
    ...(partial.length > 0 ? [`paler where fewer seeds are left: ${partial.join("; ")}`] : []),
    ...(numDropped > 0 ? [`${formatCount(numDropped, "value")} ≤ 0 cannot be drawn on the log axis`] : []),
    ...(smoothing > 0 ? [`smoothed (debiased EMA ${smoothing.toFixed(2)}); raw mean faint`] : []),
    ...(stored > drawn
      ? [`reduced ${stored.toLocaleString("en-US")} → ${formatCount(drawn, "point")}, extrema kept`]
      : []),
  ];
}
