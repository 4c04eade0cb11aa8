import type { Chart, ChartBand, DescribedChart, RunMark } from "#server/domain/runs/series/chartData.ts";
import type { GhostLine } from "#server/domain/runs/series/ghosts.ts";
import { iterationTicks, linearTicks } from "#server/domain/runs/series/ticks.ts";
import { describeMetric } from "#trainer/spec/metric.ts";
import { nameUnit } from "#packages/base";
import { formatCount } from "./format.ts";
import { isInterpolated, maxBands, nameBand } from "#server/domain/runs/series/seedSummary.ts";
import { type ChartSettings, isLogarithmic, minCrowded, overOf } from "./settings.ts";
import { formatSeedEdges, prepareSeedEdges, type SeedEdgeMark } from "./prepareSeedEdges.ts";
import type { LegendEntry, RunName, XAxisName } from "./names.ts";
import { prepareYAxis, type YAxisModel } from "./axes.ts";
import {
  type AxisMark,
  type ChartEvent,
  formatFlags,
  formatMarks,
  type Mark,
  prepareFlags,
  prepareMarks,
} from "./prepareFlags.ts";
import { prepareCheckpoints, type ChartCheckpoint } from "./prepareCheckpoints.ts";
import { prepareReferences, type ChartReference, type DrawnReference } from "./prepareReferences.ts";
import { prepareRestarts, formatRestarts, type ChartRestart } from "./prepareRestarts.ts";
import { projectChart, xAxisTitles, type ChartAxis, type Projected } from "#server/domain/runs/series/projectChart.ts";
import { positiveOnly, toSegments, withinRange, type Point } from "./segments.ts";
import { smoothBand } from "./smoothBand.ts";

export type DrawnLine = {
  id: string;
  color: string;
  dash: string | undefined;
  /**
   * Kind of line. `partial`: mean over fewer seeds than elsewhere, because some seeds begin later, have ended, or
   * have logged less. `faint`: raw mean behind a smoothed one. `ghost`: values of a replaced attempt after the
   * iteration from which a later attempt resumed.
   */
  weight: "line" | "partial" | "faint" | "seed" | "ghost";
  segments: Point[][];
};

export type Whisker = { id: string; color: string; x: number; y: number; low: number; high: number };

export type ChartModel = {
  key: string;
  title: string;
  unit: string;
  meaning: string;
  bandName: string;
  /** The x-axis; `isWhole` is true for an integer axis. */
  x: { name: XAxisName; domain: [number, number]; ticks: number[]; isWhole: boolean };
  y: YAxisModel;
  lines: DrawnLine[];
  areas: { id: string; color: string; segments: Point[][] }[];
  /** True if bands would hide each other: the chart then draws a band only while its line is hovered. */
  hasManyBands: boolean;
  /** Edges of the band at each line's last point, drawn as whiskers; empty unless `hasManyBands`. */
  whiskers: Whisker[];
  /** True for a chart with many lines, which are named at their ends and have no dots at their points. */
  isCrowded: boolean;
  seedEdges: SeedEdgeMark[];
  marks: Mark[];
  /** Alarms, collapses, data changes, restarts and checkpoints of the runs, as marks on the axis. */
  events: AxisMark[];
  references: DrawnReference[];
  /** Number of values at or below zero, which a logarithmic axis cannot show; 0 on linear axes. */
  numHidden: number;
  /** Remarks that prevent misreading, for example on omitted points, smoothing or replaced attempts. */
  notes: string[];
  rows: ValueRow[];
};

/** Unsmoothed values of a line, for the cursor and for the table of last values. */
export type ValueRow = { entry: LegendEntry; band: ChartBand; unit: string };

type ChartContext = {
  events?: readonly ChartEvent[];
  restarts?: readonly ChartRestart[];
  /** Values of replaced attempts (superseded by a restart) of all charts; empty unless the reader shows them. */
  ghosts?: readonly GhostLine[];
  checkpoints?: readonly ChartCheckpoint[] | undefined;
  references?: readonly ChartReference[];
  /** Ids of lines that the metric's other small multiples draw, with their baselines; empty for a single chart. */
  others?: ReadonlySet<string>;
  /** Environment that this chart shows, if each environment has its own chart. */
  environment?: string | undefined;
  /** Choice of the x-axis; undefined: iterations. */
  axis?: ChartAxis;
};

type ChartInput = {
  chart: DescribedChart;
  legend: readonly LegendEntry[];
  runs: ReadonlyMap<string, RunName>;
  settings: ChartSettings;
};

const iterations: ChartAxis = { kind: "iteration" };

export function prepareChart(
  { chart: logged, legend, runs, settings: chosen }: ChartInput,
  context: ChartContext = {},
): ChartModel {
  const projected = projectChart(logged, context.axis ?? iterations);
  const { chart, axis } = projected;
  const settings = axis === "Epoch" ? { ...chosen, range: null } : chosen;
  const metric = chart.about ?? describeMetric(chart.key);
  const isLog = isLogarithmic(settings, chart.key);
  const shown = legend.filter(({ id }) => !settings.hidden.has(id));
  const entryOf = new Map(shown.map((entry) => [entry.cellId, entry]));
  const rows = listRows(chart, entryOf, metric.unit);
  const bands = rows.map(({ band }) => band);
  const ghosts = listGhosts(context, { key: chart.key, runs, entryOf });
  const series = prepareSeries({ projected, rows, ghosts }, { runs, entryOf, settings });
  const marks = prepareMarks(chart.nonFinite.filter(isShown(runs, entryOf, settings)), { runs, axis }, entryOf);
  const { events, notes } = prepareEvents(projected, { runs, entryOf, settings }, context);
  const points = series.lines.flatMap((line) => line.segments.flat());
  const references = listReferences(context, { key: chart.key, legend, isShown: settings.baseline, isLog });
  const levels = references.drawn.map(({ y }): Point => ({ x: 0, y, low: null, high: null }));
  const limits = settings.limits.get(chart.key);
  const y = prepareYAxis([...points, ...levels], {
    edges: series.hasManyBands ? series.whiskers : series.areas.flatMap(({ segments }) => segments.flat()),
    isLog,
    unit: metric.unit,
    limits,
  });
  return {
    key: chart.key,
    title: metric.title,
    unit: metric.unit,
    meaning: metric.meaning,
    bandName: nameBand(bands, overOf(settings)) ?? describeEmpty(entryOf, runs),
    x: {
      name: axis,
      ...prepareXAxis(points, marks, { range: settings.range, isWhole: !axis.startsWith(xAxisTitles.time) }),
    },
    y,
    ...series,
    numHidden: series.numHidden + references.numBelow,
    isCrowded: rows.length >= minCrowded,
    marks,
    events,
    references: references.drawn,
    notes: [
      ...projected.notes,
      ...formatMarks(marks, chart.numUnlisted),
      ...notes,
      ...formatRestarts(
        events.filter(({ kind }) => kind === "restart"),
        formatGhosts(ghosts, rows),
      ),
      ...references.notes,
      ...formatNotes(rows, series, settings),
      ...formatOutside([...points, ...levels], limits && y.domain),
    ],
    rows,
  };
}

type Series = Pick<ChartModel, "lines" | "areas" | "hasManyBands" | "whiskers" | "seedEdges" | "numHidden">;

/** Returns the lines, bands, whiskers and seed ticks of a chart, in data units of the axes. */
function prepareSeries(
  { projected, rows, ghosts }: { projected: Projected; rows: ValueRow[]; ghosts: readonly GhostLine[] },
  { runs, entryOf, settings }: Shown,
): Series {
  const { chart, axis } = projected;
  const entryOfRun = (runId: string) => entryOf.get(runs.get(runId)?.cellId ?? -1);
  const isLog = isLogarithmic(settings, chart.key);
  const seeds = settings.seeds ? chart.lines.filter(({ runId }) => entryOfRun(runId) !== undefined) : [];
  const drawing = { settings, hasBand: overOf(settings) !== "mean", isLog };
  const { lines, areas } = drawLines({ rows, seeds, ghosts }, entryOfRun, drawing);
  const hasManyBands = rows.length > maxBands;
  const isCut = settings.range !== null && axis !== "Iteration";
  return {
    lines,
    areas,
    hasManyBands,
    whiskers: hasManyBands ? areas.flatMap(whiskerOf) : [],
    seedEdges: prepareSeedEdges(rows, lines, runs),
    numHidden: isLog ? countHidden({ rows, seeds, isCut }) : 0,
  };
}

/** Returns the lines of replaced attempts; none unless x is the iteration, as other axes omit these attempts. */
function listGhosts(
  { axis = iterations, ghosts = [] }: ChartContext,
  { key, runs, entryOf }: Omit<Shown, "settings"> & { key: string },
): readonly GhostLine[] {
  if (axis.kind !== "iteration") return [];
  return ghosts.filter((ghost) => ghost.key === key && entryOf.has(runs.get(ghost.runId)?.cellId ?? -1));
}

type Levels = { key: string; legend: readonly LegendEntry[]; isShown: boolean; isLog: boolean };

/** Returns the final values of baselines as horizontal lines. A logarithmic axis omits values at or below zero. */
function listReferences(
  { references = [], others = new Set(), environment }: ChartContext,
  { key, legend, isShown, isLog }: Levels,
) {
  const { drawn, notes } = prepareReferences(isShown ? references : [], { key, legend, others, environment });
  const shown = drawn.filter(({ y }) => !isLog || y > 0);
  return { drawn: shown, notes, numBelow: drawn.length - shown.length };
}

type Shown = { runs: ReadonlyMap<string, RunName>; entryOf: ReadonlyMap<number, LegendEntry>; settings: ChartSettings };

/** Returns the events of the runs as marks on the axis, with remarks; none for behaviour cloning. */
function prepareEvents({ chart, axis, xOf }: Projected, { runs, entryOf, settings }: Shown, context: ChartContext) {
  if (axis === "Epoch") return { events: [], notes: [] };
  const [owners, entryOfOwner] = chart.ofRun === undefined ? [runs, entryOf] : asOne(chart.ofRun);
  const isDrawn = isShown(owners, entryOfOwner, settings);
  const move = <Event extends { runId: string; iteration: number }>(event: Event): (Event & { x: number })[] => {
    const x = xOf(event.runId, event.iteration);
    return x !== undefined && isDrawn({ runId: event.runId, iteration: x }) ? [{ ...event, x }] : [];
  };
  const flags = prepareFlags((context.events ?? []).flatMap(move), owners, entryOfOwner);
  const ticks = prepareRestarts((context.restarts ?? []).flatMap(move), owners, entryOfOwner);
  const checkpoints = prepareCheckpoints((context.checkpoints ?? []).flatMap(move));
  return {
    events: [...checkpoints.marks, ...flags, ...ticks],
    notes: [...formatFlags(flags, owners.size === 1), ...checkpoints.notes],
  };
}

function formatOutside(points: readonly Point[], domain: readonly [number, number] | undefined): string[] {
  if (domain === undefined) return [];
  const numOutside = points.filter(({ y }) => y < domain[0] || y > domain[1]).length;
  return numOutside === 0 ? [] : [`${formatCount(numOutside, "point")} beyond the limits of the axis`];
}

function listRows(chart: Chart, entryOf: ReadonlyMap<number, LegendEntry>, unit: string): ChartModel["rows"] {
  return chart.bands.flatMap((band) => {
    const entry = entryOf.get(band.cellId);
    return entry ? [{ entry, band, unit }] : [];
  });
}

type Drawable = { rows: ChartModel["rows"]; seeds: Chart["lines"]; ghosts: readonly GhostLine[] };
type Drawing = { settings: ChartSettings; hasBand: boolean; isLog: boolean };

/** Returns lines and bands in drawing order: first single seeds, then replaced attempts, then means over seeds. */
function drawLines(
  { rows, seeds, ghosts }: Drawable,
  entryOfRun: (runId: string) => LegendEntry | undefined,
  { settings, hasBand, isLog }: Drawing,
): { lines: DrawnLine[]; areas: ChartModel["areas"] } {
  const fit: Fit = (segments) => {
    const inRange = withinRange(segments, settings.range);
    return isLog ? positiveOnly(inRange) : inRange;
  };
  const drawRun = (weight: "seed" | "ghost") => (line: Chart["lines"][number] | GhostLine) => {
    const entry = entryOfRun(line.runId);
    if (!entry) return [];
    const dash = weight === "ghost" ? "0.5 3" : entry.dash;
    return [{ id: entry.id, color: entry.color, dash, weight, segments: fit(toSegments(line)) }];
  };
  const ofRuns = [...seeds.flatMap(drawRun("seed")), ...ghosts.flatMap(drawRun("ghost"))];
  const means = rows.map((row) => drawMean(row, settings, fit));
  return {
    lines: [...ofRuns, ...means.flatMap(({ lines }) => lines)],
    areas: hasBand ? means.map(({ area }) => area) : [],
  };
}

type Fit = (segments: Point[][]) => Point[][];

/** Returns a mean's lines and band, paler where seeds are missing. The raw mean is drawn behind a smoothed one. */
function drawMean({ entry, band }: ChartModel["rows"][number], settings: ChartSettings, fit: Fit) {
  const { id, color, dash } = entry;
  const { smoothing } = settings;
  const raw = fit(toSegments(band));
  const segments = smoothing === 0 ? raw : fit(toSegments({ ...band, ...smoothBand(band, smoothing) }));
  const countAt = new Map(band.iterations.map((x, i) => [x, band.counts[i] ?? 0]));
  const most = band.counts.reduce((a, b) => Math.max(a, b), 0);
  const isFull = (segment: readonly Point[]) => countAt.get(segment[0]?.x ?? NaN) === most;
  const partial = segments.filter((segment) => !isFull(segment));
  const line = (weight: DrawnLine["weight"], drawn: Point[][]): DrawnLine => ({
    id,
    color,
    dash,
    weight,
    segments: drawn,
  });
  const lines = [
    ...(smoothing > 0 ? [line("faint", raw)] : []),
    line("line", segments.filter(isFull)),
    ...(partial.length > 0 ? [line("partial", partial)] : []),
  ];
  return { lines, area: { id, color, segments } };
}

/** Maps a run to one placeholder entry, so that its events are marked in a chart with a line per metric. */
function asOne(runId: string): [ReadonlyMap<string, RunName>, ReadonlyMap<number, LegendEntry>] {
  const entry = { cellId: 0, id: runId, label: "", color: "var(--muted)", dash: undefined };
  return [new Map([[runId, { runId, cellId: 0, seed: 0 }]]), new Map([[0, entry]])];
}

/** Compares replaced attempts with the attempt that replaced them; charts of several runs give "other". */
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

function whiskerOf({ id, color, segments }: ChartModel["areas"][number]): Whisker[] {
  const last = segments.at(-1)?.at(-1);
  if (!last || last.low === null || last.high === null) return [];
  return [{ id, color, x: last.x, y: last.y, low: last.low, high: last.high }];
}

type Hideable = {
  rows: readonly ValueRow[];
  seeds: Chart["lines"];
  /** True if the visible range was cut in the browser. */
  isCut: boolean;
};

/** Counts drawn values at or below zero. Unless `isCut`, values that downsampling omitted count, too. */
function countHidden({ rows, seeds, isCut }: Hideable): number {
  const count = ({ values, numNotPositive }: Pick<ChartBand, "values" | "numNotPositive">) =>
    isCut ? values.filter((y) => y <= 0).length : numNotPositive;
  return [...rows.map(({ band }) => band), ...seeds].reduce((sum, stretch) => sum + count(stretch), 0);
}

/** Text of a chart without values, which states if values may still arrive because a run is in progress. */
function describeEmpty(entryOf: ReadonlyMap<number, LegendEntry>, runs: ReadonlyMap<string, RunName>): string {
  const shownRuns = [...runs.values()].filter(({ cellId }) => entryOf.has(cellId));
  return shownRuns.length > 0 && shownRuns.every(({ isOver }) => isOver)
    ? "no finite value was logged"
    : "no finite value yet";
}

function prepareXAxis(
  points: readonly Point[],
  marks: readonly Mark[],
  { range, isWhole }: { range: readonly [number, number] | null; isWhole: boolean },
): Omit<ChartModel["x"], "name"> {
  const xs = [...points.map((point) => point.x), ...marks.map((mark) => mark.x)];
  const from = range?.[0] ?? xs.reduce((a, b) => Math.min(a, b), 0);
  const to = range?.[1] ?? xs.reduce((a, b) => Math.max(a, b), isWhole ? from + 1 : from + 1e-6);
  const ticks = isWhole ? iterationTicks(from, to) : linearTicks(from, to).filter((tick) => tick >= from && tick <= to);
  return { domain: [from, to], ticks, isWhole };
}

function formatNotes(
  rows: readonly ValueRow[],
  { seedEdges, numHidden }: Pick<ChartModel, "seedEdges" | "numHidden">,
  { smoothing }: ChartSettings,
): string[] {
  const drawn = rows.reduce((sum, { band }) => sum + band.iterations.length, 0);
  const stored = rows.reduce((sum, { band }) => sum + band.numPoints, 0);
  return [
    ...(rows.some(({ band }) => isInterpolated(band))
      ? ["seeds logged at different steps are interpolated between their own values"]
      : []),
    ...formatSeedEdges(seedEdges),
    ...(numHidden > 0 ? [`${formatCount(numHidden, "value")} ≤ 0 cannot be drawn on the log axis`] : []),
    ...(smoothing > 0 ? [`smoothed (debiased EMA ${smoothing.toFixed(2)}); faint lines show raw means`] : []),
    ...(stored > drawn
      ? [`${stored.toLocaleString("en-US")} points reduced to ${drawn.toLocaleString("en-US")}, with all extrema`]
      : []),
  ];
}

export function describeChart(
  { unit, bandName, y, marks, numHidden }: ChartModel,
  { smoothing }: ChartSettings,
): string {
  const parts = [
    nameUnit(unit),
    bandName,
    y.scale === "log" ? (numHidden > 0 ? `log, ${formatCount(numHidden, "value")} ≤ 0 not shown` : "log") : "",
    smoothing > 0 ? `smoothed ${smoothing.toFixed(2)}` : "",
    marks.length > 0 ? `${marks.length} not finite` : "",
  ];
  return parts.filter((part) => part !== "").join(" · ");
}
