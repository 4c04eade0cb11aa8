import { nameAlone } from "./namer.ts";

/** Success and score by the catalogue: shares of 1, which rules weigh as such. */
const rateKeys = [
  "rollout/successRate",
  "rollout/score",
  "evaluation/successRate",
  "evaluation/score",
  "evaluation/unseenSuccessRate",
  "evaluation/unseenScore",
] as const;
const isRateKey = new Set<string>(rateKeys);

type Point = { values: Readonly<Record<string, number>> };

/** Above 1 by rounding alone. */
const tolerance = 1e-6;

export type RateScale = "share" | "percent" | "none";

/**
 * What the values of a success rate are counted in, by all of them: shares of 1; per cent where one lies above 1 and none
 * above 100 or below 0; and no rate at all otherwise. Values that are not finite say nothing.
 */
function scaleOf(lowest: number, highest: number): RateScale {
  if (lowest >= -tolerance && highest <= 1 + tolerance) return "share";
  return lowest >= -tolerance && highest <= 100 + 100 * tolerance ? "percent" : "none";
}

/** The rates among the metrics of a whole run that are no shares of 1, with their range. */
export function findScaledRates(points: Iterable<Point>) {
  const ranges = new Map<string, { lowest: number; highest: number }>();
  for (const { values } of points) {
    for (const key of rateKeys) {
      const value = values[key];
      if (value === undefined || !Number.isFinite(value)) continue;
      const { lowest, highest } = ranges.get(key) ?? { lowest: value, highest: value };
      ranges.set(key, { lowest: Math.min(lowest, value), highest: Math.max(highest, value) });
    }
  }
  return [...ranges].flatMap(([key, { lowest, highest }]) => {
    const scale = scaleOf(lowest, highest);
    return scale === "share" ? [] : [{ key, scale, lowest, highest }];
  });
}

/** Whether a value of this metric shows that the run's values are not what they were taken for. */
function contradictsScale(key: string, value: number, scale: RateScale): boolean {
  if (!isRateKey.has(key) || !Number.isFinite(value) || scale === "none") return false;
  const needed = scaleOf(value, value);
  return needed === "none" || (needed === "percent" && scale === "share");
}

/** Whether one of the values does that; `scales` has those that are no shares. */
export function contradictScales(values: Point["values"], scales: ReadonlyMap<string, RateScale>): boolean {
  return rateKeys.some((key) => {
    const value = values[key];
    return value !== undefined && contradictsScale(key, value, scales.get(key) ?? "share");
  });
}

/**
 * Tells of a run that goes on, as soon as a value shows it and once for each scale, that a success rate is no share of 1:
 * `tell(key, value, step)` under the trainer's own key. What is stored stays as it was logged; the rules read shares.
 */
export function makeScaleWatch(): (key: string, value: number, step: number) => string | undefined {
  const ownerOf = new Map<string, string>();
  const scales = new Map<string, RateScale>();
  const names = new Map<string, string | undefined>();
  return (key, value, step) => {
    // Asked for every point, of few keys.
    if (!names.has(key)) names.set(key, nameAlone(key));
    const name = names.get(key);
    if (name === undefined || (ownerOf.get(name) ?? key) !== key) return undefined;
    ownerOf.set(name, key);
    if (!contradictsScale(name, value, scales.get(name) ?? "share")) return undefined;
    const scale = scaleOf(value, value);
    scales.set(name, scale);
    const seen = `${key} was ${Number(value.toPrecision(6))} at step ${step}`;
    return scale === "percent"
      ? `${seen}: rules read it as per cent, divided by 100; curves and tables show it as it was logged`
      : `${seen}, which is neither a share of 1 nor per cent: it is not judged as a success rate`;
  };
}

/** Values with every rate as a share of 1; what is no rate goes on under `rename(key)`. */
export function toShares(
  values: Readonly<Record<string, number>>,
  scales: ReadonlyMap<string, RateScale>,
  rename: (key: string) => string,
): Record<string, number> {
  const shares: Record<string, number> = {};
  for (const key in values) {
    const scale = scales.get(key);
    const value = values[key] ?? NaN;
    shares[scale === "none" ? rename(key) : key] = scale === "percent" ? value / 100 : value;
  }
  return shares;
}

/** A note on the scale of a metric, with its range in six digits. `own`: the trainer's name of the metric. */
export function sayScale({ scale, lowest, highest }: ReturnType<typeof findScaledRates>[number], name: string): string {
  const [from, to] = [lowest, highest].map((x) => Number(x.toPrecision(6)));
  const range = `${name} lies between ${from} and ${to}`;
  return scale === "percent"
    ? `${range}: it is read as per cent and divided by 100`
    : `${range}, which is neither a share of 1 nor per cent: it is not judged as a success rate`;
}
