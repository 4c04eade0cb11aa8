import { countsEpochs } from "#trainer/spec/metric.ts";
import type { DescribedChart, SummedAxis, XAxis } from "./chartData.ts";
import type { Progress } from "./progress.ts";

/** X-axis of a chart; `progress` is undefined while its data are loading. */
export type ChartAxis = { kind: "iteration" } | { kind: SummedAxis; progress: Progress | undefined };

export const xAxisTitles: Record<XAxis, string> = {
  iteration: "Iteration",
  step: "Optimizer step",
  tokens: "Sampled tokens",
  episodes: "Episodes",
  time: "Training time",
};

export type Projected = {
  chart: DescribedChart;
  /** Title of the axis, including the unit of times. */
  axis: string;
  /** Undefined if the run's log does not contain the iteration. */
  xOf: (runId: string, iteration: number) => number | undefined;
  /** Sentences about runs that cannot be shown on this axis. */
  notes: string[];
};

/** Moves each point to the progress of its run or configuration at that iteration. */
export function projectChart(chart: DescribedChart, axis: ChartAxis): Projected {
  if (countsEpochs(chart.key)) return { chart, axis: "Epoch", xOf: (_, iteration) => iteration, notes: [] };
  if (axis.kind === "iteration") return { chart, axis: "Iteration", xOf: (_, iteration) => iteration, notes: [] };
  const { name, scale } = nameAxis(axis);
  const courses = {
    cells: new Map(axis.progress?.cells.map(({ cellId, course }) => [cellId, course])),
    runs: new Map(axis.progress?.runs.map(({ runId, course }) => [runId, course])),
  };
  const xOf = (course: Float64Array | undefined, iteration: number) => {
    const x = course?.[iteration];
    return x === undefined ? undefined : x / scale;
  };
  const ofCell = (cellId: number) =>
    chart.ofRun === undefined ? courses.cells.get(cellId) : courses.runs.get(chart.ofRun);
  const move = <Line extends Stretch>(line: Line, course: Float64Array | undefined): Line[] =>
    moveLine(line, (iteration) => xOf(course, iteration));
  const bands = chart.bands.flatMap((band) => {
    const course = ofCell(band.cellId);
    const edges = band.edges.flatMap((edge) => {
      const x = xOf(course, edge.iteration);
      return x === undefined ? [] : [{ ...edge, iteration: x }];
    });
    return move({ ...band, edges }, course);
  });
  const ofRun = (runId: string) => courses.runs.get(chart.ofRun ?? runId);
  return {
    chart: {
      ...chart,
      bands,
      lines: chart.lines.flatMap((line) => move(line, ofRun(line.runId))),
      nonFinite: chart.nonFinite.flatMap((mark) => {
        const x = xOf(ofRun(mark.runId), mark.iteration);
        return x === undefined ? [] : [{ ...mark, iteration: x }];
      }),
    },
    axis: name,
    xOf: (runId, iteration) => xOf(ofRun(runId), iteration),
    notes: formatMissing(axis, chart.bands.length - bands.length),
  };
}

const minuteMs = 60_000;

/** Returns the title, and the progress per unit (s, min or h for times). */
function nameAxis({ kind, progress }: { kind: SummedAxis; progress: Progress | undefined }) {
  if (kind !== "time") return { name: xAxisTitles[kind], scale: 1 };
  const longest = (progress?.cells ?? []).reduce((most, { course }) => Math.max(most, course.at(-1) ?? 0), 0);
  const [unit, scale] =
    longest < 5 * minuteMs
      ? (["s", 1000] as const)
      : longest < 180 * minuteMs
        ? (["min", minuteMs] as const)
        : (["h", 60 * minuteMs] as const);
  return { name: `${xAxisTitles.time} (${unit})`, scale };
}

type Stretch = DescribedChart["lines"][number] | DescribedChart["bands"][number];

/** Converts a line's iterations to positions on the x-axis, up to the first point whose position is unknown. */
function moveLine<Line extends Stretch>(line: Line, xOf: (iteration: number) => number | undefined): Line[] {
  const xs = line.iterations.map(xOf);
  const numKnown = xs.findIndex((x) => x === undefined);
  const iterations = xs.slice(0, numKnown === -1 ? undefined : numKnown).flatMap((x) => x ?? []);
  if (iterations.length === 0) return [];
  const breaks = line.breaks.flatMap((iteration) => xOf(iteration) ?? []);
  const gaps = iterations.slice(1).map((x, i) => x - (iterations[i] ?? x));
  return [{ ...line, iterations, breaks, cadence: Math.max(0, ...gaps) }];
}

function formatMissing(axis: Exclude<ChartAxis, { kind: "iteration" }>, numLost: number): string[] {
  const { kind, progress } = axis;
  if (progress === undefined) return [];
  const what = xAxisTitles[kind].toLowerCase();
  const runs = progress.numWithout > 0 ? [`${progress.numWithout} of these runs did not log ${what}`] : [];
  return numLost > 0 && runs.length === 0 ? [`points without a value of ${what} are left out`] : runs;
}
