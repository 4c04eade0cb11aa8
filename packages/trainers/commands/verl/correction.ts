import type { Correction, Rejection } from "#trainer/spec/correction.ts";
import type { Method } from "#trainer/spec/method.ts";
import { type MethodPart, number, python, refuse, role } from "./part.ts";

const section = "algorithm.rollout_correction";
/** Number that is passed for an absent upper bound. Ratios are smaller, because verl clamps log-ratios to ±20. */
const unbounded = 1e9;

/**
 * Returns the off-policy correction as verl's `rollout_correction`. verl's k1 rejections use −log(π_old/μ), so their
 * bounds are those of the inverse ratio. Rejected tokens are excluded from the denominators; tokens with weight 0 are
 * not.
 */
export function correctionArguments({ correction, clipping }: Method, part: MethodPart): string[] {
  if (!correction) return [];
  const { proximal, reject } = correction;
  if (proximal === "interpolated") {
    refuse(
      part,
      "method.correction.proximal",
      "interpolated is refused: verl computes the proximal policy or takes the sampler",
    );
  }
  if (correction.step) refuse(part, "method.correction.step", "verl does not scale steps by the effective sample size");
  if (reject.length > 0 && correction.denominator === "all") {
    refuse(part, "method.correction.denominator", "all is refused: verl's denominator excludes rejected tokens");
  }
  const isBypass = proximal === "sampler";
  if (isBypass && clipping.kind !== "token" && clipping.kind !== "score") {
    const message = `there is no ${clipping.kind} clipping around the sampler in verl, whose bypass has a loss of its own`;
    refuse(part, "method.clipping.kind", message);
  }
  return [
    `${role}.rollout.calculate_log_probs=True`,
    ...(isBypass
      ? [`${section}.bypass_mode=True`, `${section}.loss_type=${clipping.kind === "score" ? "reinforce" : "ppo_clip"}`]
      : []),
    ...weightArguments(correction.weight, part),
    ...rejectionArguments(reject, part),
  ];
}

function weightArguments(weight: Correction["weight"], part: MethodPart): string[] {
  if (!weight) return [`${section}.rollout_is=null`];
  const refused = (field: string, message: string): void => refuse(part, `method.correction.weight.${field}`, message);
  if (weight.level === "geometric") refused("level", "geometric is refused: verl weighs tokens and rows");
  const [low, high] = weight.kind === "raw" ? [null, unbounded] : [weight.low, weight.high ?? unbounded];
  if (weight.kind === "clip" && low !== null)
    refused("low", `${low} is refused: verl has only an upper bound for weights`);
  const threshold =
    weight.kind === "zero" ? quoted(`${number(Math.max(low ?? 0, 1 / unbounded))}_${number(high)}`) : number(high);
  return [
    `${section}.rollout_is=${weight.level === "token" ? "token" : "sequence"}`,
    `${section}.rollout_is_threshold=${threshold}`,
    `${section}.rollout_is_batch_normalize=${python(weight.normalise)}`,
  ];
}

function rejectionArguments(reject: readonly Rejection[], part: MethodPart): string[] {
  const path = "method.correction.reject";
  const options = reject.flatMap((rejection) => {
    const option = optionOf(rejection);
    if (typeof option === "string") {
      refuse(part, path, option);
      return [];
    }
    return [option];
  });
  if (new Set(options.map(({ name }) => name)).size < options.length) {
    refuse(part, path, "two rejections by the same statistic are refused: verl allows each statistic once");
  }
  if (options.length === 0) return [];
  return [
    `${section}.rollout_rs=${quoted(options.map(({ name }) => name).join(","))}`,
    `${section}.rollout_rs_threshold=${quoted(options.map(({ threshold }) => threshold).join(","))}`,
  ];
}

/** Returns a rejection in verl's syntax, or the reason why verl has no such rejection. */
function optionOf(rejection: Rejection): { name: string; threshold: string } | string {
  if (rejection.kind !== "token" && rejection.kind !== "row") return `verl has no rejection of kind ${rejection.kind}`;
  const { statistic, low, high } = rejection;
  const level = rejection.kind === "token" ? "token" : `seq_${rejection.reduce}`;
  if (statistic !== "ratio") {
    if (high === null || (low ?? 0) > 0) return `verl bounds ${statistic} above and not below`;
    return { name: `${level}_${statistic}`, threshold: number(high) };
  }
  if (level === "seq_max") return "verl has no rejection by a row's largest ratio";
  // verl does not clamp the sum of a response's log-ratios, so there is no bound that means "unbounded".
  if (level === "seq_sum" && (low === null || high === null)) return "verl bounds a row's product on both sides";
  const inverse = [1 / (high ?? unbounded), 1 / Math.max(low ?? 0, 1 / unbounded)];
  return { name: `${level}_k1`, threshold: inverse.map(number).join("_") };
}

/** Quotes a text, because Hydra parses a comma as a list of runs, and 0.5_2 as the number 0.52. */
function quoted(text: string): string {
  return `'${text}'`;
}
