import { labelsThatDiffer } from "#server/domain/plan/sweep/shownLabels.ts";
import { describeMetric } from "#trainer/spec/metric.ts";
import { readCharts } from "../../runs/charts.ts";
import type { Database } from "#server/db/storage/client.ts";
import { readSeries } from "#server/db/runs/points.ts";
import { readReferences } from "#server/db/runs/references.ts";
import { readCells, readRunIds, type RunScope } from "#server/db/runs/runs.ts";
import { AppError, formatValue, nameUnit, groupBy, formatCount } from "#packages/base";
import type { FieldsOf } from "#server/domain/publish/reports/blocks.ts";
import type { Aggregate } from "#server/domain/runs/series/aggregate.ts";
import type { ChartBand } from "#server/domain/runs/series/chartData.ts";
import type { DescribedChart } from "#server/domain/runs/series/describedChart.ts";
import { isInterpolated, nameBand } from "#server/domain/runs/series/nameBand.ts";
import { keysOfAxis, measureProgress } from "#server/domain/runs/series/progress.ts";
import { projectChart, xAxisTitles, type ChartAxis } from "#server/domain/runs/series/projectChart.ts";
import type { XAxis } from "#server/domain/runs/series/xAxis.ts";
import { lineDashes } from "#server/domain/runs/series/dashes.ts";
import { writeInterval } from "#packages/statistics";
import { colourIndex } from "#server/domain/plan/sweep/colours.ts";
import { escapeHtml } from "#server/domain/publish/tables/html.ts";
import { drawChart, type LineLook } from "./drawChart.ts";
import { requireSweeps } from "./requireSweeps.ts";
import { toTable } from "./toTable.ts";
import { withShortLabels } from "#server/domain/plan/sweep/labelTitles.ts";

const maxLines = 40;
/** Curves as in the charts of the pages, with captions and a table of last values. */
export async function renderChart(database: Database, fields: FieldsOf<"chart">): Promise<string> {
  const { sweep: sweepIds, metric: key, aggregate, from, to } = fields;
  await requireSweeps(database, sweepIds);
  const range = from === undefined && to === undefined ? null : { from: from ?? 0, to: to ?? 1e9 };
  const scope = { sweepIds };
  const options = { aggregate, seeds: false, maxPoints: 800, range };
  const [cells, { charts }, axis, references] = await Promise.all([
    readCells(database, scope),
    readCharts(database, { scope, keys: [key], options }),
    readAxis(database, scope, fields.x),
    readReferences(database, scope, { keys: [key] }),
  ]);
  const [read] = charts;
  // A configuration without values of the metric has no line.
  const logged = read && { ...read, bands: read.bands.filter(({ iterations }) => iterations.length > 0) };
  if (!logged || logged.bands.length === 0) throw new AppError("not_found", `no run of these sweeps has logged ${key}`);
  const { chart, axis: xTitle, notes } = projectChart(logged, axis);
  if (chart.bands.length === 0) {
    const message = `x is "${fields.x}": no run of these sweeps has logged its ${xAxisTitles[fields.x].toLowerCase()}`;
    throw new AppError("not_found", message);
  }
  if (chart.bands.length > maxLines) {
    const numLines = formatCount(chart.bands.length, "configuration");
    throw new AppError("too_large", `${numLines} are more than the ${maxLines} lines that a chart of a report has`);
  }
  const titled = withShortLabels(cells);
  const looks = lookLines(titled);
  const levels = references.map((reference) => toLevel(reference, looks));
  const numNonFinite = logged.nonFinite.length + logged.numUnlisted;
  const remarks = [
    ...(chart.bands.some(isInterpolated)
      ? ["Seeds that logged at other steps are interpolated between their own values."]
      : []),
    ...(chart.bands.some(({ edges }) => edges.length > 0)
      ? ["A line is interrupted where a seed begins or ends."]
      : []),
    ...(numNonFinite > 0 ? [`${formatCount(numNonFinite, "value")} not finite, not drawn.`] : []),
    ...notes.map((note) => `Not all is shown: ${note}.`),
  ];
  const x = { title: xTitle, isWhole: axis.kind !== "time" };
  return byEnvironment(chart, titled)
    .map(({ environment, part }) =>
      renderPanel(
        { chart: part, looks, levels: levels.filter((level) => level.environment === environment), x },
        {
          place: part === chart ? "" : environment,
          aggregate,
          remarks,
        },
      ),
    )
    .join("");
}

/** One chart per environment, because their difficulties differ. */
function byEnvironment(chart: DescribedChart, cells: readonly Cell[]): { environment: string; part: DescribedChart }[] {
  const environmentOf = new Map(cells.map(({ id, environment }) => [id, environment]));
  const parts = groupBy(chart.bands, ({ cellId }) => environmentOf.get(cellId) ?? "");
  if (parts.size < 2) return [...parts.keys()].map((environment) => ({ environment, part: chart }));
  return [...parts].map(([environment, bands]) => ({ environment, part: { ...chart, bands } }));
}

type Level = { environment: string; y: number; color: string; words: string };

function toLevel(
  { cellId, environment, value, numRuns }: Awaited<ReturnType<typeof readReferences>>[number],
  looks: ReadonlyMap<number, LineLook>,
): Level {
  const { label = "", color = "var(--muted)" } = looks.get(cellId) ?? {};
  const runs = formatCount(numRuns, "run");
  const words = `Dashed level: baseline ${label}, final, mean of ${runs}: ${formatValue(value)}.`;
  return { environment, y: value, color, words };
}

type Panel = Omit<Parameters<typeof drawChart>[0], "title" | "levels"> & { levels: readonly Level[] };
type Words = { place: string; aggregate: Aggregate; remarks: readonly string[] };

function renderPanel({ chart, looks, levels, x }: Panel, { place, aggregate, remarks }: Words): string {
  const { title, unit } = describeMetric(chart.key);
  const named = [title, place].filter(Boolean).join(", ");
  const words = [nameUnit(unit), nameBand(chart.bands, aggregate) ?? ""].filter(Boolean).join(" · ");
  return [
    `<figure class="chart"><figcaption><b>${escapeHtml(named)}</b> <small>${escapeHtml(words)}</small></figcaption>`,
    drawChart({ chart, looks, levels, title: named, x }),
    `<ul class="legend">${chart.bands.map(({ cellId }) => legendItem(looks.get(cellId))).join("")}</ul>`,
    ...[...levels.map((level) => level.words), ...remarks].map((remark) => `<p class="note">${escapeHtml(remark)}</p>`),
    `<details><summary>Last values</summary>${lastValues(chart.bands, { looks, xTitle: x.title })}</details></figure>`,
  ].join("");
}

async function readAxis(database: Database, scope: RunScope, x: XAxis): Promise<ChartAxis> {
  if (x === "iteration") return { kind: x };
  const cells = await readRunIds(database, scope);
  const runIds = cells.flatMap((cell) => cell.runIds);
  const series = await readSeries(database.pool, { runIds, keys: keysOfAxis(x) });
  return { kind: x, progress: measureProgress(series, cells, x) };
}

type Cell = Awaited<ReturnType<typeof readCells>>[number];

/** Colour by method, dashes within a method, shortest distinct names: as in the legends of the pages. */
function lookLines(cells: readonly Cell[]): Map<number, LineLook> {
  const methods = [...new Set(cells.map(({ method }) => method))];
  const numSweeps = new Set(cells.map(({ sweepId }) => sweepId)).size;
  const labels = cells.length > 1 ? labelsThatDiffer(cells.map(({ label }) => label)) : [];
  const used = new Map<string, number>();
  return new Map(
    cells.map(({ id, method, sweepName }, i) => {
      const color = `var(--series-${(colourIndex(method, methods) % 12) + 1})`;
      const nth = used.get(color) ?? 0;
      used.set(color, nth + 1);
      const parts = [method, labels[i] ?? "", numSweeps > 1 ? `(${sweepName})` : ""];
      return [id, { label: parts.filter(Boolean).join(" "), color, dash: lineDashes[nth % lineDashes.length] }];
    }),
  );
}

function legendItem(look: LineLook | undefined): string {
  if (!look) return "";
  const dash = look.dash === undefined ? "" : ` stroke-dasharray="${look.dash}"`;
  const sample = `<svg width="18" height="8" aria-hidden="true"><line x1="0" x2="18" y1="4" y2="4" stroke="${look.color}" stroke-width="2"${dash}/></svg>`;
  return `<li>${sample} ${escapeHtml(look.label)}</li>`;
}

type Table = { looks: ReadonlyMap<number, LineLook>; xTitle: string };

function lastValues(bands: readonly ChartBand[], { looks, xTitle }: Table): string {
  const rows = bands.map(({ cellId, iterations, values, lows, highs, counts }) => {
    const last = iterations.length - 1;
    const [low, high] = [lows[last], highs[last]];
    const band = typeof low === "number" && typeof high === "number" ? writeInterval({ low, high }, "significant") : "";
    return [
      looks.get(cellId)?.label ?? "",
      formatX(iterations[last]),
      formatValue(values[last]),
      band,
      String(counts[last] ?? 0),
    ];
  });
  return toTable({ header: ["", xTitle, "Value", "Band", "Seeds"], rows, areFigures: [false, true, true, true, true] });
}

function formatX(x: number | undefined): string {
  return x === undefined ? "" : x.toLocaleString("en-US", { maximumFractionDigits: 1 });
}
