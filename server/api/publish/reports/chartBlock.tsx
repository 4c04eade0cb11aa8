import { renderToStaticMarkup } from "react-dom/server";
import { captionOf, PaperPlot } from "#app/_charts/Plot.tsx";
import { loadDrawing } from "#app/_charts/LazyDrawing.tsx";
import { type LegendEntry, nameRuns } from "#app/_charts/names.ts";
import { type ChartModel, describeChart, prepareChart } from "#app/_charts/prepareChart.ts";
import { prepareLegend } from "#app/_charts/prepareLegend.ts";
import { parseSettings } from "#app/_charts/settings.ts";
import { AppError, formatCount, groupBy } from "#packages/base";
import { partsOf } from "#packages/statistics";
import { withLooks } from "#server/db/plan/cells.ts";
import { readReferences } from "#server/db/runs/references.ts";
import { readSeries } from "#server/db/runs/points.ts";
import { readCells, readRunIds, readRuns, type RunScope } from "#server/db/runs/runs.ts";
import type { Database } from "#server/db/storage/client.ts";
import { withShortLabels } from "#server/domain/plan/sweep/labels/labelTitles.ts";
import type { FieldsOf } from "#server/domain/publish/reports/blocks.ts";
import { keysOfAxis, measureProgress } from "#server/domain/runs/series/progress.ts";
import { type ChartAxis, xAxisTitles } from "#server/domain/runs/series/projectChart.ts";
import type { XAxis } from "#server/domain/runs/series/chartData.ts";
import { readCharts } from "../../runs/keptCharts.ts";
import { requireSweeps } from "./requireSweeps.ts";
import { toTable } from "./toTable.ts";

const maxLines = 40;
const maxPoints = 240;
/** Sizes of each chart, for wide and narrow screens: text has a fixed size in pixels. The style sheet shows one. */
const drawings = [
  { className: "broad", width: 560, height: 300 },
  { className: "narrow", width: 340, height: 260 },
] as const;

export async function renderChart(database: Database, fields: FieldsOf<"chart">): Promise<string> {
  const { sweep: sweepIds, metric: key, aggregate, from, to } = fields;
  await requireSweeps(database, sweepIds);
  const range = from === undefined && to === undefined ? null : { from: from ?? 0, to: to ?? 1e9 };
  const scope = { sweepIds };
  const [cells, runs, { charts }, axis, references] = await Promise.all([
    readCells(database, scope),
    readRuns(database, scope),
    readCharts(database, { scope, keys: [key], options: { aggregate, seeds: false, maxPoints, range } }),
    readAxis(database, scope, fields.x),
    readReferences(database, scope, { keys: [key] }),
  ]);
  const [chart] = charts;
  // A configuration without a value of the metric has no line in the chart.
  const bands = chart?.bands.filter(({ iterations }) => iterations.length > 0) ?? [];
  if (!chart || bands.length === 0) throw new AppError("not_found", `no run of these sweeps has logged ${key}`);
  if (bands.length > maxLines) {
    const numLines = formatCount(bands.length, "configuration");
    throw new AppError("too_large", `the chart would have ${numLines} lines; the limit is ${maxLines}`);
  }
  const titled = await withLooks(database.pool, withShortLabels(cells), ({ id }) => id);
  const legend = prepareLegend(titled);
  const settings = parseSettings(new URLSearchParams({ over: aggregate }));
  const environmentOf = new Map(titled.map(({ id, environment }) => [id, environment]));
  // Each environment has its own chart, because environments differ in difficulty.
  const parts = [...groupBy(bands, ({ cellId }) => environmentOf.get(cellId) ?? "")].map(([environment, inside]) => {
    const input = { chart: { ...chart, bands: inside }, legend, runs: nameRuns(runs), settings };
    return { environment, model: prepareChart(input, { axis, references, environment }) };
  });
  await loadDrawing();
  const drawn = parts.filter(({ model }) => model.rows.length > 0);
  if (drawn.length === 0) {
    const message = `x is "${fields.x}": no run of these sweeps has logged its ${xAxisTitles[fields.x].toLowerCase()}`;
    throw new AppError("not_found", message);
  }
  return drawn
    .map(({ environment, model }) => {
      const title = [model.title, drawn.length > 1 ? environment : ""].filter(Boolean).join(", ");
      return renderPanel({ ...model, title }, legend, describeChart(model, settings));
    })
    .join("");
}

async function readAxis(database: Database, scope: RunScope, x: XAxis): Promise<ChartAxis> {
  if (x === "iteration") return { kind: x };
  const cells = await readRunIds(database, scope);
  const runIds = cells.flatMap((cell) => cell.runIds);
  const series = await readSeries(database.pool, { runIds, keys: keysOfAxis(x) });
  return { kind: x, progress: measureProgress(series, cells, x) };
}

function renderPanel(model: ChartModel, legend: readonly LegendEntry[], subtitle: string): string {
  return renderToStaticMarkup(
    <figure className="chart">
      <figcaption>
        <b>{model.title}</b> <small>{subtitle}</small>
      </figcaption>
      <div className="drawings">
        {drawings.map(({ className, ...size }) => (
          <div key={className} className={className}>
            <PaperPlot model={model} legend={legend} size={size} />
          </div>
        ))}
      </div>
      <p className="note">{captionOf(model, "")}</p>
      <details dangerouslySetInnerHTML={{ __html: `<summary>Last values</summary>${lastValues(model)}` }} />
    </figure>,
  );
}

function lastValues({ rows, x, unit }: ChartModel): string {
  const cells = rows.map(({ entry, band: { iterations, values, lows, highs, counts } }) => {
    const last = iterations.length - 1;
    const [low, high] = [lows[last], highs[last]];
    const interval = typeof low === "number" && typeof high === "number" ? { low, high } : null;
    const { mean, interval: band, unit: percent } = partsOf({ mean: values[last] ?? NaN, interval }, { unit });
    const withUnit = (text: string): string => (text === "" ? "" : `${text} ${percent}`.trim());
    return [entry.label, formatX(iterations[last]), withUnit(mean), withUnit(band), String(counts[last] ?? 0)];
  });
  const header = ["", x.name, "Value", "Band", "Seeds"];
  return toTable(header, cells, [false, true, true, true, true]);
}

function formatX(x: number | undefined): string {
  return x === undefined ? "" : x.toLocaleString("en-US", { maximumFractionDigits: 1 });
}
