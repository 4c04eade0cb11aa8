import type { SurvivalReport } from "#server/domain/stability/report/survival.ts";
import type { SurvivalPoint } from "#server/domain/statistics/survival.ts";

type Scales = { x: (time: number) => number; y: (share: number) => number };

/** Steps from 1 at time 0 on; the band between the interval's ends; a tick where runs left without the event. */
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

/** Pixels by which lines that are the same from end to end are set off, all of them together. */
const [apart, mostApart] = [2, 12];

/** Pixels that each curve is drawn below where it lies, so that of several that are the same each is seen. */
export function setOff(curves: readonly (readonly SurvivalPoint[])[]): number[] {
  const names = curves.map((curve) =>
    JSON.stringify(curve.flatMap(({ time, survival, numEvents }) => (numEvents > 0 ? [time, survival] : []))),
  );
  return names.map((name, i) => {
    const numSame = names.filter((other) => other === name).length;
    const nth = names.slice(0, i).filter((other) => other === name).length;
    return numSame === 1 ? 0 : nth * Math.min(apart, mostApart / (numSame - 1));
  });
}

/** Runs that are still watched and without the event just before a time. */
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
