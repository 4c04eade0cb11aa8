import { toFraction } from "../axes.ts";

/** Replaces d3-scale in browsers (next.config.ts), under the names that recharts imports. Scales agree with `toFraction`. */
export const scaleLinear = () => makeScale("linear");
export const scaleLog = () => makeScale("log");
/** Imported by recharts' brush, which our charts do not use. */
export const scalePoint = undefined;

type Pair = readonly [number, number];
/** As in d3: a setter with an argument, a getter without. */
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
