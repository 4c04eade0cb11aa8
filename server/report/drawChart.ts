import type { Chart, ChartBand } from "#server/domain/series/chartData.ts";
import { iterationTicks, linearTicks } from "#server/domain/series/ticks.ts";
import { escapeHtml } from "#server/domain/tables/html.ts";
import { formatTick } from "#server/domain/formatFigures.ts";

export type LineLook = { label: string; color: string; dash: string | undefined };
type Drawn = { chart: Chart; looks: ReadonlyMap<number, LineLook>; title: string };

const size = { width: 640, height: 280 } as const;
const plot = { left: 56, right: 628, top: 10, bottom: 244 } as const;
/** From so many lines on bands would hide each other. */
export const fewestCrowded = 4;

/** Curves of one metric as SVG of its own: no script and no style sheet but the colours. Gaps stay gaps. */
export function drawChart({ chart: { bands }, looks, title }: Drawn): string {
  const isCrowded = bands.length >= fewestCrowded;
  const [xTicks, yTicks] = [ticksOfX(bands), ticksOfY(bands, isCrowded)];
  const toX = scale(edgesOfX(bands), [plot.left, plot.right]);
  const toY = scale([yTicks[0] ?? 0, yTicks.at(-1) ?? 1], [plot.bottom, plot.top]);
  const drawn = bands.map((band) => {
    const look = looks.get(band.cellId);
    const color = look?.color ?? "var(--text)";
    const parts = splitAtBreaks(band);
    const areas = isCrowded ? [] : parts.map((part) => areaPath(band, part, { toX, toY }));
    const dots = parts.filter((part) => part.length === 1).map(([i = 0]) => dotAt(band, i, { toX, toY, color }));
    const dash = look?.dash === undefined ? "" : ` stroke-dasharray="${look.dash}"`;
    const line = parts.map((part) => `M${part.map((i) => pointOf(band, i, { toX, toY })).join("L")}`).join("");
    return [
      ...(areas.some((path) => path !== "") ? [`<path d="${areas.join("")}" fill="${color}" opacity="0.15"/>`] : []),
      `<path d="${line}" fill="none" stroke="${color}" stroke-width="1.75"${dash}/>`,
      ...dots,
    ].join("");
  });
  return [
    `<svg viewBox="0 0 ${size.width} ${size.height}" width="${size.width}" height="${size.height}" role="img" aria-label="${escapeHtml(title)}" font-size="12" font-family="inherit">`,
    ...yTicks.map(
      (y) => `<line x1="${plot.left}" x2="${plot.right}" y1="${at(toY(y))}" y2="${at(toY(y))}" stroke="var(--line)"/>`,
    ),
    ...yTicks.map((y) => label(formatTick(y), { x: plot.left - 8, y: toY(y) + 4, anchor: "end" })),
    ...xTicks.map((x) => label(formatTick(x), { x: toX(x), y: plot.bottom + 16, anchor: "middle" })),
    label("iteration", { x: (plot.left + plot.right) / 2, y: size.height - 4, anchor: "middle" }),
    ...drawn,
    "</svg>",
  ].join("");
}

type Scale = (value: number) => number;
type Scales = { toX: Scale; toY: Scale };

function edgesOfX(bands: readonly ChartBand[]): [number, number] {
  const [first, last] = bands.reduce(
    ([low, high], { iterations }) => [Math.min(low, iterations[0] ?? low), Math.max(high, iterations.at(-1) ?? high)],
    [Infinity, -Infinity],
  );
  return Number.isFinite(first) ? [first ?? 0, last ?? 1] : [0, 1];
}

function ticksOfX(bands: readonly ChartBand[]): number[] {
  const [from, to] = edgesOfX(bands);
  return to > from ? iterationTicks(from, to) : [from];
}

/** Loops: all points of many configurations are more than a call takes as arguments. */
function ticksOfY(bands: readonly ChartBand[], isCrowded: boolean): number[] {
  let [low, high] = [Infinity, -Infinity];
  const include = (values: readonly (number | null)[]) => {
    for (const value of values) if (value !== null) [low, high] = [Math.min(low, value), Math.max(high, value)];
  };
  for (const { values, lows, highs } of bands) {
    include(values);
    if (!isCrowded) include(lows);
    if (!isCrowded) include(highs);
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

function pointOf({ iterations, values }: ChartBand, i: number, { toX, toY }: Scales): string {
  return `${at(toX(iterations[i] ?? 0))} ${at(toY(values[i] ?? 0))}`;
}

function dotAt(band: ChartBand, i: number, { color, ...scales }: Scales & { color: string }): string {
  const [x, y] = pointOf(band, i, scales).split(" ");
  return `<circle cx="${x}" cy="${y}" r="2.5" fill="${color}"/>`;
}

/** Where the band has edges; nothing where one seed gives none. */
function areaPath({ iterations, lows, highs }: ChartBand, part: readonly number[], { toX, toY }: Scales): string {
  const edged = part.filter((i) => typeof lows[i] === "number" && typeof highs[i] === "number");
  if (edged.length < 2) return "";
  const along = (edge: readonly (number | null)[], indices: readonly number[]) =>
    indices.map((i) => `${at(toX(iterations[i] ?? 0))} ${at(toY(edge[i] ?? 0))}`);
  return `M${[...along(highs, edged), ...along(lows, edged.toReversed())].join("L")}Z`;
}

function label(text: string, { x, y, anchor }: { x: number; y: number; anchor: "end" | "middle" }): string {
  return `<text x="${at(x)}" y="${at(y)}" text-anchor="${anchor}" fill="var(--muted)">${escapeHtml(text)}</text>`;
}

function at(pixels: number): string {
  return String(Math.round(100 * pixels) / 100);
}
