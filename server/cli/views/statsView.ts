import type { Comparison, MethodSummary, Panel, PooledMethod, Interval } from "#packages/statistics";
import { paint, toColumns, toPlain, type StyledText } from "./columns.ts";
import type { Screen } from "../command.ts";

/** Formats two tables per panel (each method alone; differences from the baseline), the pooled table, and notes. */
export function showComparison(comparison: Comparison, screen: Screen): string {
  const { metric, rule, baseline, pooled, notes } = comparison;
  const what = [metric, rule].filter(Boolean).join(", ");
  const panels = comparison.panels.flatMap((panel) => showPanel(panel, baseline, screen));
  const together =
    pooled.kind === "pooled"
      ? [heading(`Pooled over ${pooled.tasks.length} tasks`, screen), showPooled(pooled.methods, screen), ""]
      : [];
  return [...(what === "" ? [] : [toPlain(what), ""]), ...panels, ...together, ...notes.map(toPlain)].join("\n");
}

function showPanel(panel: Panel, baseline: string, screen: Screen): string[] {
  const { env, subtask, methods } = panel;
  const title = heading(subtask === "all" ? env : `${env}, ${subtask}`, screen);
  const compared = methods.filter(({ against }) => against);
  const alone = [title, toColumns(aloneColumns, methods.map(toAloneRow), screen), ""];
  if (compared.length === 0) return alone;
  return [...alone, toColumns([`AGAINST ${baseline}`, ...toNumbers(pairTitles)], compared.map(toPairRow), screen), ""];
}

const toNumbers = (titles: string) => titles.split(",").map((number) => ({ number }));
const aloneColumns = ["METHOD", ...toNumbers("SEEDS,MEAN,95 % CI,SD,MEDIAN,IQM,WORST 20 %,COLLAPSED")];

function toAloneRow(summary: MethodSummary): string[] {
  const { method, n, numMissing, evidence, collapses } = summary;
  const format = formatterOf(summary.mean);
  const seeds = `${n}${evidence === "full" ? "" : "†"}${numMissing > 0 ? ` (+${numMissing} missing)` : ""}`;
  const rate = collapses
    ? `${collapses.k}/${collapses.n} ${formatInterval(collapses.interval, (x) => x.toFixed(2))}`
    : "";
  return [
    method,
    seeds,
    format(summary.mean),
    formatInterval(summary.interval, format),
    ...[summary.std, summary.median, summary.iqm, summary.worstFifth].map(format),
    rate,
  ];
}

const pairTitles = "DIFFERENCE,95 % CI,PAIRING,p,p HOLM,HEDGES g,CLIFF δ,P(BETTER),95 % CI";

function toPairRow({ method, mean, evidence, against }: MethodSummary): (string | StyledText)[] {
  if (!against) return [];
  const format = formatterOf(mean);
  const { difference, interval, pairing, p, correctedP, stars, effects, improvement } = against;
  const raw = Number.isNaN(p) && against.evidence !== "none" ? "no test" : formatP(p);
  const mark = against.evidence === "full" || evidence === "none" ? stars : "†";
  return [
    method,
    signed(difference, format),
    formatInterval(interval, format),
    pairing,
    raw,
    { text: `${formatP(correctedP)}${mark}`, ...(stars !== "" && { style: "green" as const }) },
    signed(effects.hedgesG, (x) => x.toFixed(2)),
    signed(effects.cliffDelta, (x) => x.toFixed(2)),
    formatNumber(improvement.value, (x) => x.toFixed(2)),
    formatInterval(improvement.interval, (x) => x.toFixed(2)),
  ];
}

function showPooled(methods: readonly PooledMethod[], screen: Screen): string {
  const titles = "SCORES,IQM,95 % CI,MEAN,95 % CI,OPTIMALITY GAP,P(BETTER),95 % CI";
  const rows = methods.map((pooled) => {
    const format = formatterOf(pooled.iqm.value);
    const { improvement } = pooled;
    return [
      pooled.method,
      String(pooled.numScores),
      ...[pooled.iqm, pooled.mean].flatMap(({ value, interval }) => [format(value), formatInterval(interval, format)]),
      format(pooled.optimalityGap.value),
      improvement ? formatNumber(improvement.value, (x) => x.toFixed(2)) : "",
      improvement ? formatInterval(improvement.interval, (x) => x.toFixed(2)) : "",
    ];
  });
  return toColumns(["METHOD", ...toNumbers(titles)], rows, screen);
}

function heading(text: string, { hasColour }: Screen): string {
  return paint(toPlain(text), "cyan", hasColour);
}

type Format = (x: number) => string;

/** Makes a format by the size of `typical`: three decimals up to 1, one up to 100, else four significant digits. */
function formatterOf(typical: number): Format {
  const size = Math.abs(typical);
  return (x) => formatNumber(x, (y) => (size <= 1 ? y.toFixed(3) : size <= 100 ? y.toFixed(1) : y.toPrecision(4)));
}

function formatNumber(x: number, format: Format): string {
  return Number.isFinite(x)
    ? format(x)
        .replace(/^-(?=0(\.0+)?$)/, "")
        .replace("-", "−")
    : "";
}

/** Formats a difference with its sign; empty for NaN. */
export function signed(x: number, format: Format): string {
  const text = formatNumber(x, format);
  return x > 0 && text !== "" ? `+${text}` : text;
}

/** Formats an interval such as "[−3, 12]"; empty if it is unknown. */
export function formatInterval({ low, high }: Interval, format: Format): string {
  if (!Number.isFinite(low) || !Number.isFinite(high)) return "";
  return `[${formatNumber(low, format)}, ${formatNumber(high, format)}]`;
}

function formatP(p: number): string {
  if (Number.isNaN(p)) return "";
  return p < 1e-4 ? p.toExponential(0) : p.toFixed(4);
}
