import { toFraction } from "../axes.ts";

/**
 * Our axes' scales, under the names by which recharts asks d3-scale for them: in browsers this stands in for it
 * (next.config.ts). A tick stands where `toFraction` puts a point of its value.
 */
export const scaleLinear = () => makeScale("linear");
export const scaleLog = () => makeScale("log");
/** Of recharts' brush, which no chart of ours has. */
export const scalePoint = undefined;

type Pair = readonly [number, number];
/** As d3's: both set what they are given, and say without anything what they were given. */
type Scale = ((value: number) => number) & { domain: (next?: Pair) => Pair | Scale; range: Scale["domain"] };

function makeScale(kind: "linear" | "log"): Scale {
  const known: Record<"domain" | "range", Pair> = { domain: [0, 1], range: [0, 1] };
  const toPixels = (value: number) => {
    const [from, to] = known.range;
    return from + toFraction(value, known.domain, kind) * (to - from);
  };
  const setting = (name: keyof typeof known) => (next?: Pair) => {
    if (next === undefined) return known[name];
    known[name] = next;
    return scale;
  };
  const scale: Scale = Object.assign(toPixels, { domain: setting("domain"), range: setting("range") });
  return scale;
}
