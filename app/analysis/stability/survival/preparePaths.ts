import type { SurvivalReport } from "#server/domain/analysis/stability/survival.ts";
import type { SurvivalPoint } from "#packages/statistics";

type Scales = { x: (time: number) => number; y: (share: number) => number };

/** Step function from 1 at time 0; the band between the interval's ends; ticks at censored runs. */
export function survivalPaths(curve: readonly SurvivalPoint[], longest: number, { x, y }: Scales) {
  const line = [`M${at(x(0))} ${at(y(1))}`];
  const upper: string[] = [];
  const lower: string[] = [];
  const censored: string[] = [];
  let open: { low: number; high: number } | undefined;
  for (const { time, survival, interval, numCensored } of curve) {
    line.push(`H${at(x(time))}V${at(y(survival))}`);
    if (open) {
      upper.push(`L${at(x(time))} ${at(y(open.high))}`);
      lower.unshift(`L${at(x(time))} ${at(y(open.low))}`);
    }
    if (Number.isFinite(interval.low)) {
      open = interval;
      upper.push(`L${at(x(time))} ${at(y(interval.high))}`);
      lower.unshift(`L${at(x(time))} ${at(y(interval.low))}`);
    } else open = undefined;
    if (numCensored > 0) censored.push(`M${at(x(time))} ${at(y(survival) - 4)}v8`);
  }
  const end = curve.at(-1)?.time ?? 0;
  line.push(`H${at(x(Math.min(longest, end)))}`);
  const outline = [...upper, ...lower].join("");
  return { line: line.join(""), band: outline && `M${outline.slice(1)}Z`, censored: censored.join("") };
}

/** Pixels of a stripe where curves coincide. */
const stripe = 7;

export type Coincidence = {
  /** Number of identical curves, including this one. */
  numSame: number;
  /** Dash pattern whose stripes fill the gaps of the coinciding curves; undefined for a curve on its own. */
  dash: string | undefined;
  offset: number;
};

/** Identical curves, whatever their censoring, are drawn as one line with stripes in all their colours. */
export function findCoincidences(curves: readonly (readonly SurvivalPoint[])[]): Coincidence[] {
  const names = curves.map((curve) =>
    JSON.stringify(curve.flatMap(({ time, survival, numEvents }) => (numEvents > 0 ? [time, survival] : []))),
  );
  return names.map((name, i) => {
    const numSame = names.filter((other) => other === name).length;
    if (numSame === 1) return { numSame, dash: undefined, offset: 0 };
    const nth = names.slice(0, i).filter((other) => other === name).length;
    return { numSame, dash: `${stripe} ${stripe * (numSame - 1)}`, offset: -stripe * nth };
  });
}

/** "6 of 10 lines coincide and are drawn as one, in stripes."; empty if none do. */
export function describeCoincidences(all: readonly Coincidence[]): string {
  const sets = new Map<number, number>();
  for (const { numSame } of all) if (numSame > 1) sets.set(numSame, (sets.get(numSame) ?? 0) + 1 / numSame);
  const sizes = [...sets].flatMap(([size, times]) => Array.from({ length: Math.round(times) }, () => size));
  if (sizes.length === 0) return "";
  const counts = sizes.toSorted((a, b) => b - a).join(" and ");
  return ` ${counts} of ${all.length} lines coincide and are drawn as one, in stripes.`;
}

/** Runs at risk just before a time: still observed and without the event. */
export function countAtRisk(curve: readonly SurvivalPoint[], time: number): number {
  return curve.find((point) => point.time >= time)?.numAtRisk ?? 0;
}

export function toSurvivalCsv({ groups }: SurvivalReport): (string | number)[][] {
  return [
    ["group", "time", "at_risk", "events", "censored", "survival", "low", "high"],
    ...groups.flatMap(({ group, curve }) =>
      curve.map((point) => [
        group,
        point.time,
        point.numAtRisk,
        point.numEvents,
        point.numCensored,
        point.survival,
        point.interval.low,
        point.interval.high,
      ]),
    ),
  ];
}

function at(pixel: number): string {
  return pixel.toFixed(1);
}
