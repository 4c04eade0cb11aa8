import { type Correction, isCorrected, noCorrection, type Rejection } from "#trainer/spec/correction.ts";
import { type Method, type MethodName, methodOf, methods, withPenalties } from "#trainer/spec/method.ts";
import { clippingTraits } from "#trainer/spec/traits.ts";
import { type Configured, isTrue, onlyKnown, type Recorded } from "./recorded.ts";

const actor = "actor_rollout_ref.actor";
const rollout = "actor_rollout_ref.rollout";

/** Reads method and settings from a configuration of verl or its forks; undefined for another trainer's. */
export function fromVerl(recorded: Recorded): Configured | undefined {
  const { text, number } = recorded;
  const estimator = text("algorithm.adv_estimator");
  if (estimator === undefined) return undefined;
  const perTask = number("env.rollout.n");
  return {
    method: methodOfVerl(estimator, recorded),
    environment: text("env.env_name"),
    settings: onlyKnown({
      optimizer: onlyKnown({
        learningRate: number(`${actor}.optim.lr`),
        weightDecay: number(`${actor}.optim.weight_decay`),
        maxGradientNorm: number(`${actor}.grad_clip`),
      }),
      rollout: onlyKnown({
        numGroups: number("data.train_batch_size"),
        // Group size: agent environments repeat a task within a group, whereas verl's own rollout repeats a prompt.
        groupSize: perTask !== undefined && perTask > 0 ? perTask : number(`${rollout}.n`),
        temperature: number(`${rollout}.temperature`),
        maxResponseTokens: number("data.max_response_length"),
        historyLength: number("env.history_length"),
      }),
      update: onlyKnown({
        epochs: number(`${actor}.ppo_epochs`),
        entropyCoef: number(`${actor}.entropy_coeff`),
        ...klOf(recorded),
      }),
    }),
  };
}

function klOf({ text, number }: Recorded) {
  if (isTrue(text(`${actor}.use_kl_loss`))) {
    return { klCoef: number(`${actor}.kl_loss_coef`), klPlacement: "loss" as const };
  }
  if (isTrue(text("algorithm.use_kl_in_reward"))) {
    return { klCoef: number("algorithm.kl_ctrl.kl_coef"), klPlacement: "reward" as const };
  }
  return text(`${actor}.use_kl_loss`) === undefined ? {} : { klCoef: 0 };
}

const byOwnName = (...names: MethodName[]) => Object.fromEntries(names.map((name) => [name, name]));

/** Maps verl's advantage estimators to methods. In ARLArena, the estimator also determines the loss. */
const estimators: Readonly<Record<string, MethodName>> = {
  ...byOwnName("grpo", "rloo", "gigpo", "empg", "opo", "remax", "gpg", "gspo", "sapo", "cispo", "aepo"),
  vanilla_grpo: "grpo",
  // In verl, `dapo` is GRPO's advantage; DAPO's group filtering is a separate setting.
  dapo: "grpo",
  drgrpo: "drGrpo",
  reinforce_plus_plus: "reinforcePlusPlus",
  reinforce_plus_plus_baseline: "reinforcePlusPlusBaseline",
  gae: "ppo",
  grpo_passk: "passK",
};
const losses: Readonly<Record<string, MethodName>> = {
  ...byOwnName("gspo", "sapo", "cispo", "aepo", "gpg"),
  seq_mask: "grpoSm",
  geo_mean: "gmpo",
  clip_cov: "clipCov",
  kl_cov: "klCov",
};
const aggregations: Readonly<Record<string, Method["aggregation"]>> = {
  "token-mean": "tokenMean",
  "seq-mean-token-mean": "seqMeanTokenMean",
  "seq-mean-token-sum": "seqMeanTokenSum",
  "seq-mean-token-sum-norm": "seqMeanTokenSumNorm",
};

function methodOfVerl(estimator: string, recorded: Recorded): Method | undefined {
  const { text, number } = recorded;
  const base = estimators[estimator];
  const mode = text(`${actor}.policy_loss.loss_mode`) ?? "vanilla";
  // An advantage estimator "gpg" does not imply GPG's loss.
  const loss = mode !== "vanilla" ? losses[mode] : base === "gpg" ? "grpo" : base;
  if (base === undefined || loss === undefined) return undefined;
  const correction = correctionOfVerl(recorded);
  if (correction === "unknown") return undefined;
  const clipping = isReinforceOfVerl(recorded)
    ? methods.bypassPg.clipping
    : clippingOf(methodOf(loss).clipping, recorded);
  const fixed = clippingTraits[clipping.kind].fixesAggregation;
  const aggregation =
    estimator === "drgrpo" ? methods.drGrpo.aggregation : aggregations[text(`${actor}.loss_agg_mode`) ?? "token-mean"];
  if (fixed === null && aggregation === undefined) return undefined;
  const isFiltered = isTrue(text("algorithm.filter_groups.enable"));
  const { maxTries } = methods.dapoGrpo.sampling;
  return withPenalties({
    aggregation: fixed ?? aggregation ?? "tokenMean",
    clipping,
    advantage: advantageOf(base, recorded),
    sampling: isFiltered
      ? { ...methods.dapoGrpo.sampling, maxTries: number("algorithm.filter_groups.max_num_gen_batches") ?? maxTries }
      : { kind: "all" },
    ...(correction !== "none" && { correction }),
  });
}

/** Makes the advantage estimator with its constants: a critic's discounts, GRPO's division by the deviation. */
function advantageOf(name: MethodName, { text, number }: Recorded): Method["advantage"] {
  const { advantage } = methodOf(name);
  if (advantage.kind === "gae") {
    return { ...advantage, ...onlyKnown({ gamma: number("algorithm.gamma"), lambda: number("algorithm.lam") }) };
  }
  const isDivided = text("algorithm.norm_adv_by_std_in_grpo");
  if ((name !== "grpo" && name !== "passK") || isDivided === undefined || !("scale" in advantage)) return advantage;
  return { ...advantage, scale: isTrue(isDivided) ? "groupStd" : "none" };
}

function clippingOf(clipping: Method["clipping"], { text, number }: Recorded): Method["clipping"] {
  const range = {
    low: number(`${actor}.clip_ratio_low`) ?? number(`${actor}.clip_ratio`),
    high: number(`${actor}.clip_ratio_high`) ?? number(`${actor}.clip_ratio`),
  };
  // CISPO's settings differ between forks, so its published, one-sided range is proposed.
  const ranged = "low" in clipping && clipping.kind !== "cispo" ? { ...clipping, ...onlyKnown(range) } : clipping;
  const isMasked = isTrue(text(`${actor}.use_seq_mask`));
  if (!isMasked || !("sequenceMask" in ranged)) return ranged;
  return { ...ranged, sequenceMask: { delta: number(`${actor}.seq_mask_delta`) ?? 0.223 } };
}

const section = "algorithm.rollout_correction";
/** Maximum ratio that verl can compute, since it clamps log-ratios to ±20; a larger bound has no effect. */
const unbounded = Math.exp(20);

/**
 * Reads verl's `rollout_correction` (RolloutCorrectionConfig, as parsed by its helper). Returns `none` if the
 * correction has no effect, `unknown` if the studio has no equivalent, so that nothing is proposed.
 */
function correctionOfVerl(recorded: Recorded): Correction | "none" | "unknown" {
  const { text } = recorded;
  const weight = weightOf(recorded);
  const reject = rejectionsOf(recorded);
  if (weight === "unknown" || reject === "unknown") return "unknown";
  const proximal = isTrue(text(`${section}.bypass_mode`)) ? ("sampler" as const) : ("recomputed" as const);
  // In verl, the denominators exclude rejected tokens, but include tokens with weight 0.
  const denominator = weight?.kind === "zero" && reject.length === 0 ? ("all" as const) : ("kept" as const);
  const correction = { ...noCorrection, proximal, weight, reject, denominator };
  return isCorrected(correction) ? correction : "none";
}

/** Returns true for the REINFORCE loss, whose ratio weights the score without clipping. */
function isReinforceOfVerl({ text }: Recorded): boolean {
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
  // If there is one threshold, it applies to all kinds of rejection.
  if (thresholds.length !== 1 && thresholds.length !== names.length) return "unknown";
  const known = names.flatMap((name, i) => rejectionOf(name, thresholds[i] ?? thresholds[0] ?? "") ?? []);
  return known.length === names.length ? known : "unknown";
}

function rejectionOf(name: string, threshold: string): Rejection | undefined {
  const range = readRange(threshold);
  const [, level, reduce, estimator] = /^(token|seq)_(?:(sum|mean|max)_)?(k[123])$/.exec(name) ?? [];
  if (range === undefined || estimator === undefined || (level === "seq") !== (reduce !== undefined)) return undefined;
  const kept =
    estimator === "k1"
      ? // k1 bounds the ratio of sampler to trainer, so the bounds are inverted.
        { statistic: "ratio" as const, low: orNone(1 / range.high), high: orNone(1 / (range.low ?? 1 / range.high)) }
      : { statistic: estimator === "k2" ? ("k2" as const) : ("k3" as const), low: null, high: orNone(range.high) };
  if (reduce === undefined) return { kind: "token", ...kept };
  return { kind: "row", ...kept, reduce: reduce === "sum" ? "sum" : reduce === "mean" ? "mean" : "max" };
}

/** Parses a range such as `2` or `0.5_2`; undefined if the text is not a range. */
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
