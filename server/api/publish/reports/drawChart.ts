import type { Chart, ChartBand } from "#server/domain/runs/series/chartData.ts";
import { groupBy, formatTick } from "#packages/base";
import { baselineDash } from "#server/domain/runs/series/dashes.ts";
import { maxBands } from "#server/domain/runs/series/nameBand.ts";
import { iterationTicks, linearTicks, thinTicks } from "#server/domain/runs/series/ticks.ts";
import { escapeHtml } from "#server/domain/publish/tables/html.ts";

export type LineLook = { label: string; color: string; dash: string | undefined };
type Drawn = {
  chart: Chart;
  looks: ReadonlyMap<number, LineLook>;
  /** Final values of pinned baselines, drawn as lines across the plot. */
  levels?: readonly { y: number; color: string }[];
  title: string;
  /** Title of the x-axis; true in `isWhole` if its values are integers. */
  x: { title: string; isWhole: boolean };
};

/** The plot's height in pixels, and its width and height as lines see them: they are stretched to whatever width there is. */
const [height, extent] = [234, 1000];
const maxTicksOfX = 6;
/**
 * Curves of one metric as SVG of its own: no script and no style sheet but the colours. It fills the width that it is given:
 * lines are stretched, text and strokes are not. Axis labels stand outside of the plot (`.report .plot`). Gaps stay gaps.
 */
export function drawChart({ chart: { bands }, looks, levels = [], title, x }: Drawn): string {
  const hasManyBands = bands.length > maxBands;
  const [edges, yTicks] = [edgesOfX(bands), ticksOfY(bands, hasManyBands, levels)];
  // Whiskers of lines that end together stand side by side in a lane of their own.
  const lane = hasManyBands ? Math.min(120, laneStep * bands.length) : 0;
  const toX = scale(edges, [0, extent - lane]);
  const toY = scale([yTicks[0] ?? 0, yTicks.at(-1) ?? 1], [extent, 0]);
  const drawn = bands.map((band) => {
    const look = looks.get(band.cellId);
    const color = look?.color ?? "var(--text)";
    const parts = splitAtBreaks(band);
    const areas = hasManyBands ? [] : parts.map((part) => areaPath(band, part, { toX, toY }));
    const dash = look?.dash === undefined ? "" : ` stroke-dasharray="${look.dash}"`;
    const line = parts.map((part) => `M${part.map((i) => pointOf(band, i, { toX, toY })).join("L")}`).join("");
    // A line of zero length with round caps: a circle would be stretched.
    const dots = parts.filter(({ length }) => length === 1).map(([i = 0]) => `M${pointOf(band, i, { toX, toY })}h0`);
    return [
      areas.some((path) => path !== "") ? `<path d="${areas.join("")}" fill="${color}" opacity="0.15"/>` : "",
      `<path d="${line}" fill="none" stroke="${color}" stroke-width="1.75" ${unstretched}${dash}/>`,
      dots.length > 0
        ? `<path d="${dots.join("")}" stroke="${color}" stroke-width="5" stroke-linecap="round" ${unstretched}/>`
        : "",
    ].join("");
  });
  return [
    `<div class="plot"><svg width="100%" height="${height}" role="img" aria-label="${escapeHtml(title)}" font-size="12" font-family="inherit">`,
    ...yTicks.map((y) => yLabel(formatTick(y), (toY(y) * height) / extent)),
    ...ticksOfX(edges, x.isWhole).map((tick) => xLabel(formatTick(tick), toX(tick))),
    `<text x="50%" y="${height + 32}" text-anchor="middle" fill="var(--muted)">${escapeHtml(x.title)}</text>`,
    `<svg viewBox="0 0 ${extent} ${extent}" preserveAspectRatio="none" width="100%" height="${height}">`,
    ...levels.map(
      ({ y, color }) =>
        `<path d="M0 ${at(toY(y))}H${extent}" fill="none" stroke="${color}" stroke-width="1.5" stroke-dasharray="${baselineDash}" ${unstretched}/>`,
    ),
    ...drawn,
    ...(hasManyBands ? whiskers(bands, looks, { toX, toY, step: lane / bands.length }) : []),
    "</svg></svg></div>",
  ].join("");
}

const unstretched = 'vector-effect="non-scaling-stroke"';

type Scale = (value: number) => number;
type Scales = { toX: Scale; toY: Scale };

function yLabel(text: string, y: number): string {
  return [
    `<line x1="0" x2="100%" y1="${at(y)}" y2="${at(y)}" stroke="var(--line)"/>`,
    `<text x="-8" y="${at(y + 4)}" text-anchor="end" fill="var(--muted)">${escapeHtml(text)}</text>`,
  ].join("");
}

function xLabel(text: string, x: number): string {
  return `<text x="${at((100 * x) / extent)}%" y="${height + 16}" text-anchor="middle" fill="var(--muted)">${escapeHtml(text)}</text>`;
}

function edgesOfX(bands: readonly ChartBand[]): [number, number] {
  const [first, last] = bands.reduce(
    ([low, high], { iterations }) => [Math.min(low, iterations[0] ?? low), Math.max(high, iterations.at(-1) ?? high)],
    [Infinity, -Infinity],
  );
  return Number.isFinite(first) ? [first ?? 0, last ?? 1] : [0, 1];
}

/** Ticks within the range of the data, where the axis ends. */
function ticksOfX([from, to]: readonly [number, number], isWhole: boolean): number[] {
  if (to <= from) return [from];
  if (isWhole) return thinTicks(iterationTicks(from, to), maxTicksOfX);
  return thinTicks(
    linearTicks(from, to, maxTicksOfX).filter((tick) => tick >= from && tick <= to),
    maxTicksOfX,
  );
}

/** Loops, because a call cannot take all points as arguments. */
function ticksOfY(bands: readonly ChartBand[], hasManyBands: boolean, levels: readonly { y: number }[]): number[] {
  let [low, high] = [Infinity, -Infinity];
  const include = (values: readonly (number | null)[]) => {
    for (const value of values) if (value !== null) [low, high] = [Math.min(low, value), Math.max(high, value)];
  };
  include(levels.map(({ y }) => y));
  for (const { values, lows, highs } of bands) {
    include(values);
    include(hasManyBands ? lows.slice(-1) : lows);
    include(hasManyBands ? highs.slice(-1) : highs);
  }
  return linearTicks(low, high);
}

function scale([from, to]: readonly [number, number], [start, end]: readonly [number, number]): Scale {
  return (value) => start + (to > from ? (value - from) / (to - from) : 0.5) * (end - start);
}

/** Indices of the points that lines connect. */
function splitAtBreaks({ iterations, breaks }: ChartBand): number[][] {
  const isBreak = new Set(breaks);
  const parts: number[][] = [];
  let part: number[] = [];
  for (const [i, iteration] of iterations.entries()) {
    part.push(i);
    if (!isBreak.has(iteration) && i < iterations.length - 1) continue;
    parts.push(part);
    part = [];
  }
  return parts;
}

/** Units that a whisker takes beside the lines. */
const laneStep = 10;

/** Intervals at the last points, beside each other from the highest value down. */
function whiskers(
  bands: readonly ChartBand[],
  looks: ReadonlyMap<number, LineLook>,
  { toX, toY, step }: Scales & { step: number },
): string[] {
  const together = groupBy(bands, ({ iterations }) => Math.round(toX(iterations.at(-1) ?? 0) / 10));
  return [...together.values()].flatMap((same) =>
    same
      .toSorted((a, b) => (b.values.at(-1) ?? 0) - (a.values.at(-1) ?? 0))
      .flatMap(({ cellId, iterations, values, lows, highs }, i) => {
        const [x, low, high] = [toX(iterations.at(-1) ?? 0) + (i + 0.7) * step, lows.at(-1), highs.at(-1)];
        if (typeof low !== "number" || typeof high !== "number") return [];
        const color = looks.get(cellId)?.color ?? "var(--text)";
        const at0 = `M${at(x)} ${at(toY(values.at(-1) ?? 0))}h0`;
        return [
          `<path d="M${at(x)} ${at(toY(low))}V${at(toY(high))}" stroke="${color}" stroke-width="1.25" ${unstretched}/>`,
          `<path d="${at0}" stroke="${color}" stroke-width="4" stroke-linecap="round" ${unstretched}/>`,
        ];
      }),
  );
}

function pointOf({ iterations, values }: ChartBand, i: number, { toX, toY }: Scales): string {
  return `${at(toX(iterations[i] ?? 0))} ${at(toY(values[i] ?? 0))}`;
}

/** Points that have a band; none with a single seed. */
function areaPath({ iterations, lows, highs }: ChartBand, part: readonly number[], { toX, toY }: Scales): string {
  const edged = part.filter((i) => typeof lows[i] === "number" && typeof highs[i] === "number");
  if (edged.length < 2) return "";
  const along = (edge: readonly (number | null)[], indices: readonly number[]) =>
    indices.map((i) => `${at(toX(iterations[i] ?? 0))} ${at(toY(edge[i] ?? 0))}`);
  return `M${[...along(highs, edged), ...along(lows, edged.toReversed())].join("L")}Z`;
}

function at(value: number): string {
  return String(Math.round(100 * value) / 100);
}
