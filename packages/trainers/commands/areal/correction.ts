import { correctionOf, isCorrected, type Correction, type Rejection } from "#trainer/spec/correction.ts";
import type { RunSpec } from "#trainer/spec/run.ts";
import type { Remarks } from "../handling.ts";

export type Setting = [key: string, value: string | number | boolean | null];

/** Number that is passed for an absent upper bound: no importance ratio exceeds it. */
const unbounded = 1e9;
const off: Setting[] = [
  ["actor.rejection_sampling", null],
  ["actor.m2_threshold", null],
];

/**
 * Returns the settings for AReaL's three policies (sampler, proximal policy, trained policy). Without its decoupled
 * loss, the clip range is around the sampler or, with `recompute_logprob`, around the trainer's own forward pass.
 * With the decoupled loss, the range is around the proximal policy, and one filter may bound the ratio of proximal
 * policy to sampler.
 */
export function proximalSettings({ method, update }: RunSpec, { notes, problems }: Remarks): Setting[] {
  const correction = correctionOf(method, update);
  const { proximal, weight, reject } = correction;
  const read = proximal === "sampler" ? "sampler" : "trainer";
  if (isCorrected(correction) && update.oldLogProbs !== read) {
    const message = `${update.oldLogProbs} is not passed: with this correction they are the ${read}'s`;
    notes.push({ path: "update.oldLogProbs", message });
  }
  const refuse: Refuse = (field, message) => void problems.push({ path: `method.correction.${field}`, message });
  if (correction.step) refuse("step", "AReaL does not scale steps by the effective sample size");
  if (weight === null && reject.length === 0) return [...withoutFilter(proximal, update.oldLogProbs), ...off];
  if (proximal === "sampler") {
    refuse("proximal", "sampler is refused: AReaL filters only by the ratio of its recomputed policy to the sampler");
  }
  return [
    ["actor.recompute_logprob", true],
    ["actor.use_decoupled_loss", true],
    ["actor.prox_logp_method", proximal === "interpolated" ? "loglinear" : "recompute"],
    ...filterSettings(correction, refuse),
  ];
}

type Refuse = (field: string, message: string) => void;

function withoutFilter(proximal: Correction["proximal"], oldLogProbs: string): Setting[] {
  const isInterpolated = proximal === "interpolated";
  return [
    ["actor.recompute_logprob", isInterpolated || (proximal === "recomputed" && oldLogProbs === "trainer")],
    ["actor.use_decoupled_loss", isInterpolated],
    ["actor.prox_logp_method", isInterpolated ? "loglinear" : "recompute"],
  ];
}

function filterSettings({ weight, reject, denominator }: Correction, refuse: Refuse): Setting[] {
  const [first, ...others] = reject;
  if (others.length > 0) refuse("reject", `${reject.length} rejections are refused: AReaL has one filter`);
  if (first?.kind === "secondMoment") {
    if (weight) refuse("weight", `${weight.kind} is refused: AReaL has no weights with the second-moment filter`);
    if (denominator === "all") refuse("denominator", "all is refused: AReaL's denominator excludes masked tokens");
    return [
      ["actor.m2_threshold", first.threshold],
      ["actor.rejection_sampling", null],
    ];
  }
  const filter = first === undefined ? weightFilter(weight, refuse) : rejectionFilter(first, weight, refuse);
  if (first !== undefined && denominator === "kept") {
    refuse("denominator", "kept is refused: AReaL's denominator includes rejected tokens");
  }
  return [...filter.map(([key, value]): Setting => [`actor.rejection_sampling.${key}`, value]), off[1] ?? ["", null]];
}

type Weight = Correction["weight"];

/** Importance weight per token or batch row (geometric mean), clamped or set to 0 outside its bounds. */
function weightFilter(weight: Weight, refuse: Refuse): Setting[] {
  if (!weight) return [];
  if (weight.level === "row") refuse("weight.level", "row is refused: AReaL weighs tokens and rows by their mean");
  if (weight.normalise) refuse("weight.normalise", "AReaL does not normalise weights");
  const [low, high] = weight.kind === "raw" ? [null, null] : [weight.low, weight.high];
  const level = weight.level === "token" ? "token" : "sequence";
  return filterOf({ level, action: weight.kind === "zero" ? "mask" : "clamp", metric: "ratio" }, { low, high }, refuse);
}

/** Filter of tokens, which also weights kept tokens by the ratio: AReaL cannot reject without a weight. */
function rejectionFilter(rejection: Rejection, weight: Weight, refuse: Refuse): Setting[] {
  if (rejection.kind !== "token" && rejection.kind !== "row") {
    refuse("reject", `AReaL has no rejection of kind ${rejection.kind}`);
    return [];
  }
  const { statistic, low, high } = rejection;
  if (statistic === "k3") refuse("reject", "k3 is refused: AReaL's is the KL of the other direction");
  const level = rejection.kind === "token" ? "token" : "sequence";
  const weighs = level === "sequence" && statistic === "ratio" ? "geometric" : "token";
  if (weight?.kind !== "raw" || weight.level !== weighs || weight.normalise) {
    refuse(
      "weight",
      `AReaL weights the tokens that this rejection keeps by their ratio: set a raw weight of level ${weighs}`,
    );
  }
  const metric = statistic === "ratio" ? "ratio" : "kl_k2";
  const agg = rejection.kind === "row" ? rejection.reduce : "mean";
  return filterOf({ level, action: "mask", metric, agg }, { low, high }, refuse);
}

type Filter = { level: string; action: "mask" | "clamp"; metric: string; agg?: string };
type Bounds = { low: number | null; high: number | null };

function filterOf({ agg = "mean", ...filter }: Filter, { low, high }: Bounds, refuse: Refuse): Setting[] {
  const isRatio = filter.metric === "ratio";
  if (isRatio && high !== null && high <= 1) refuse("weight.high", `${high} is refused: AReaL's must be above 1`);
  return [
    ...Object.entries(filter),
    ["agg", agg],
    ["upper", high ?? unbounded],
    // A ratio's lower bound must be positive in AReaL. In the studio, the lower bound 0 means no bound.
    ["lower", isRatio && low === 0 ? null : low],
  ];
}
