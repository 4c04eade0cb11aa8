/** Keys of the logged success rates and scores, which the detector's rules read as fractions. */
export const rateKeys = [
  "rollout/successRate",
  "rollout/score",
  "evaluation/successRate",
  "evaluation/score",
  "evaluation/unseenSuccessRate",
  "evaluation/unseenScore",
] as const;
const isRateKey = new Set<string>(rateKeys);

type Point = { values: Readonly<Record<string, number>> };

/** Amount by which a fraction may exceed 1 because of rounding. */
const tolerance = 1e-6;

export type RateScale = "share" | "percent" | "none";

/**
 * Infers the scale of a success rate from its lowest and highest value. Up to 1 it is a fraction. It is percent if
 * the highest value is above 1, and none is above 100 or below 0. Otherwise it is no rate.
 */
function scaleOf(lowest: number, highest: number): RateScale {
  if (lowest >= -tolerance && highest <= 1 + tolerance) return "share";
  return lowest >= -tolerance && highest <= 100 + 100 * tolerance ? "percent" : "none";
}

/** Finds a run's success rates that are not fractions, with scale and range; ignores non-finite values. */
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

/** True if a value contradicts the scale assumed so far, e.g. a value of 40 if the scale is a fraction. */
function contradictsScale(key: string, value: number, scale: RateScale): boolean {
  if (!isRateKey.has(key) || !Number.isFinite(value) || scale === "none") return false;
  const needed = scaleOf(value, value);
  return needed === "none" || (needed === "percent" && scale === "share");
}

/** True if any success rate contradicts its scale. `scales` contains only metrics that are not fractions. */
export function contradictScales(values: Point["values"], scales: ReadonlyMap<string, RateScale>): boolean {
  return rateKeys.some((key) => {
    const value = values[key];
    return value !== undefined && contradictsScale(key, value, scales.get(key) ?? "share");
  });
}

/**
 * Makes a function that checks each value of a live run for success rates that are not fractions. It returns a
 * message once per scale, with the trainer's own key, and otherwise undefined. `nameOf` maps a trainer's key to the
 * studio's key. Stored values remain as logged; only the rules read fractions.
 */
export function makeScaleWatch(
  nameOf: (key: string) => string | undefined,
): (key: string, value: number, step: number) => string | undefined {
  const ownerOf = new Map<string, string>();
  const scales = new Map<string, RateScale>();
  const names = new Map<string, string | undefined>();
  return (key, value, step) => {
    // Names are cached, because this code runs for every point and there are few distinct keys.
    if (!names.has(key)) names.set(key, nameOf(key));
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

/** Converts success rates to fractions. `rename` gives another key to values that cannot be rates (scale "none"). */
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

/** Describes a metric's scale and range for users. `name` is the trainer's name of the metric. */
export function sayScale({ scale, lowest, highest }: ReturnType<typeof findScaledRates>[number], name: string): string {
  const [from, to] = [lowest, highest].map((x) => Number(x.toPrecision(6)));
  const range = `${name} lies between ${from} and ${to}`;
  return scale === "percent"
    ? `${range}: it is read as per cent and divided by 100`
    : `${range}, which is neither a share of 1 nor per cent: it is not judged as a success rate`;
}
