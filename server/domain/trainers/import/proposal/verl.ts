import { methods, methodOf, withPenalties, type Method, type MethodName } from "#trainer/spec/method.ts";
import { clippingTraits } from "#trainer/spec/traits.ts";
import { isTrue, onlyKnown, type Configured, type Recorded } from "./recorded.ts";
import { correctionOfVerl, isReinforceOfVerl } from "./verlCorrection.ts";

const actor = "actor_rollout_ref.actor";
const rollout = "actor_rollout_ref.rollout";

/** Reads a configuration of verl or its agent forks; undefined if it is another one. */
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
        // Agent environments repeat a task; verl's own rollout repeats a prompt.
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

/** Names of advantage estimators; in ARLArena they include losses. */
const estimators: Readonly<Record<string, MethodName>> = {
  grpo: "grpo",
  vanilla_grpo: "grpo",
  // Group filtering is a separate setting.
  dapo: "grpo",
  drgrpo: "drGrpo",
  rloo: "rloo",
  reinforce_plus_plus: "reinforcePlusPlus",
  reinforce_plus_plus_baseline: "reinforcePlusPlusBaseline",
  gae: "ppo",
  gigpo: "gigpo",
  empg: "empg",
  opo: "opo",
  remax: "remax",
  grpo_passk: "passK",
  gpg: "gpg",
  gspo: "gspo",
  sapo: "sapo",
  cispo: "cispo",
  aepo: "aepo",
};
const losses: Readonly<Record<string, MethodName>> = {
  gspo: "gspo",
  sapo: "sapo",
  cispo: "cispo",
  aepo: "aepo",
  seq_mask: "grpoSm",
  geo_mean: "gmpo",
  clip_cov: "clipCov",
  kl_cov: "klCov",
  gpg: "gpg",
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
  // GPG's advantages do not imply GPG's loss.
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

/**
 * Advantage with the constants that take effect: discounts of a critic, and GRPO's division by the standard deviation.
 */
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
  // CISPO's range is one-sided in the papers and its settings differ between forks, so the published range is proposed.
  const ranged = "low" in clipping && clipping.kind !== "cispo" ? { ...clipping, ...onlyKnown(range) } : clipping;
  const isMasked = isTrue(text(`${actor}.use_seq_mask`));
  if (!isMasked || !("sequenceMask" in ranged)) return ranged;
  return { ...ranged, sequenceMask: { delta: number(`${actor}.seq_mask_delta`) ?? 0.223 } };
}
