import { isCorrected, noCorrection, type Correction, type Rejection } from "#trainer/spec/correction.ts";
import { isTrue, type Recorded } from "./recorded.ts";

const section = "algorithm.rollout_correction";
/** Bounds above this have no effect: verl clamps log-ratios to ±20. */
const unbounded = Math.exp(20);

/**
 * Reads verl's `rollout_correction` (RolloutCorrectionConfig and its helper's parsing). `none`: it has no effect;
 * `unknown`: it has no equivalent here, and nothing else is proposed.
 */
export function correctionOfVerl(recorded: Recorded): Correction | "none" | "unknown" {
  const { text } = recorded;
  const weight = weightOf(recorded);
  const reject = rejectionsOf(recorded);
  if (weight === "unknown" || reject === "unknown") return "unknown";
  const proximal = isTrue(text(`${section}.bypass_mode`)) ? ("sampler" as const) : ("recomputed" as const);
  // Tokens rejected by verl leave the denominators; tokens with weight 0 do not.
  const denominator = weight?.kind === "zero" && reject.length === 0 ? ("all" as const) : ("kept" as const);
  const correction = { ...noCorrection, proximal, weight, reject, denominator };
  return isCorrected(correction) ? correction : "none";
}

/** Bypass mode has its own losses: here the ratio weights the score function and is not clipped. */
export function isReinforceOfVerl({ text }: Recorded): boolean {
  return isTrue(text(`${section}.bypass_mode`)) && text(`${section}.loss_type`) === "reinforce";
}

function weightOf({ text }: Recorded): Correction["weight"] | "unknown" {
  const level = text(`${section}.rollout_is`);
  if (level === undefined) return null;
  if (level !== "token" && level !== "sequence") return "unknown";
  const range = readRange(text(`${section}.rollout_is_threshold`) ?? "2");
  if (range === undefined) return "unknown";
  const normalise = isTrue(text(`${section}.rollout_is_batch_normalize`));
  const weighed = { level: level === "token" ? ("token" as const) : ("row" as const), normalise };
  if (range.low !== undefined) {
    return { kind: "zero", ...weighed, low: orNone(range.low), high: orNone(range.high) };
  }
  const high = orNone(range.high);
  return high === null ? { kind: "raw", ...weighed } : { kind: "clip", ...weighed, low: null, high };
}

function rejectionsOf({ text }: Recorded): Rejection[] | "unknown" {
  const names = listOf(text(`${section}.rollout_rs`));
  if (names.length === 0) return [];
  const thresholds = listOf(text(`${section}.rollout_rs_threshold`));
  // A single threshold applies to all.
  if (thresholds.length !== 1 && thresholds.length !== names.length) return "unknown";
  const rejections = names.map((name, i) => rejectionOf(name, thresholds[i] ?? thresholds[0] ?? ""));
  const known = rejections.filter((rejection) => rejection !== undefined);
  return known.length === names.length ? known : "unknown";
}

function rejectionOf(name: string, threshold: string): Rejection | undefined {
  const range = readRange(threshold);
  const [, level, reduce, estimator] = /^(token|seq)_(?:(sum|mean|max)_)?(k[123])$/.exec(name) ?? [];
  if (range === undefined || estimator === undefined || (level === "seq") !== (reduce !== undefined)) return undefined;
  const kept =
    estimator === "k1"
      ? // k1 is sampler over trainer, so its bounds are those of the inverse ratio.
        { statistic: "ratio" as const, low: orNone(1 / range.high), high: orNone(1 / (range.low ?? 1 / range.high)) }
      : { statistic: estimator === "k2" ? ("k2" as const) : ("k3" as const), low: null, high: orNone(range.high) };
  if (reduce === undefined) return { kind: "token", ...kept };
  return { kind: "row", ...kept, reduce: reduce === "sum" ? "sum" : reduce === "mean" ? "mean" : "max" };
}

/** Parses `2` or `0.5_2`; undefined otherwise. */
function readRange(text: string): { low?: number; high: number } | undefined {
  const [first, second, ...more] = unquote(text).split("_").map(Number);
  if (more.length > 0 || !isBound(first)) return undefined;
  if (second === undefined) return { high: first };
  return isBound(second) && first <= second ? { low: first, high: second } : undefined;
}

const isBound = (x: number | undefined): x is number => x !== undefined && Number.isFinite(x) && x > 0;
const orNone = (x: number) => (x >= unbounded || x <= 1 / unbounded ? null : Number(x.toPrecision(9)));
const unquote = (text: string) => text.replaceAll(/^['"]|['"]$/g, "");
const listOf = (text: string | undefined) =>
  unquote(text ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
