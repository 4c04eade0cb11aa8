import { effectiveAggregation, type Method } from "#trainer/spec/method.ts";
import { advantageTraits, clippingTraits, sequenceMaskOf } from "#trainer/spec/traits.ts";
import type { Remark } from "../handling.ts";
import { role, type Flavour } from "./flavour.ts";
import { decimal, number } from "./write.ts";

/** A method's overrides, by the section of the command that they stand in, and what of it there is not. */
export type MethodPart = {
  estimator: string;
  actor: string[];
  algorithm: string[];
  sampling: string[];
  critic: string[];
  notes: Remark[];
  problems: Remark[];
};

const aggregations = {
  tokenMean: "token-mean",
  seqMeanTokenMean: "seq-mean-token-mean",
  seqMeanTokenSum: "seq-mean-token-sum",
  seqMeanTokenSumNorm: "seq-mean-token-sum-norm",
  tokenSum: undefined,
} as const;

/** A method in the words of ARLArena's fork of verl. */
export function methodArguments(method: Method, flavour: Flavour): MethodPart {
  const part: MethodPart = {
    estimator: "",
    actor: [],
    algorithm: [],
    sampling: [],
    critic: [],
    notes: [],
    problems: [],
  };
  const loss = lossOf(method.clipping.kind);
  if (loss === undefined) refuse(part, "method.clipping.kind", `there is no loss for ${method.clipping.kind} clipping`);
  if (flavour.isAgent && loss !== "" && loss !== undefined) {
    refuse(part, "method.clipping.kind", `verl-agent has no ${loss} loss; ARLArena has`);
  }
  addEstimator(part, method, { loss, flavour });
  part.actor.push(...clippingArguments(method, part));
  addAggregation(part, method, loss);
  addAdvantage(part, method.advantage);
  part.sampling.push(...samplingArguments(method.sampling, flavour, part));
  return part;
}

function refuse(part: MethodPart, path: string, message: string): void {
  part.problems.push({ path, message });
}

/** Dr. GRPO is an estimator there that fixes its aggregation. */
function isDrGrpo({ advantage }: Method, loss: string | undefined): boolean {
  return advantage.kind === "group" && advantage.scale === "none" && loss === "";
}

function addEstimator(
  part: MethodPart,
  method: Method,
  { loss, flavour }: { loss: string | undefined; flavour: Flavour },
): void {
  const { advantage } = method;
  const base = isDrGrpo(method, loss) ? "drgrpo" : estimatorOf(advantage, part);
  if (base === "drgrpo" && advantage.kind === "group" && advantage.samples === "episodes") {
    refuse(part, "method.advantage.samples", "episodes is refused: its Dr. GRPO takes every turn as a sample");
  }
  // The loss follows the estimator's name; with another estimator, or where the trainer lacks that one, it is named by itself.
  const isNamedByLoss =
    loss !== undefined && loss !== "" && base === "grpo" && !flavour.unknownEstimators.includes(loss);
  part.estimator = isNamedByLoss ? loss : base;
  if (flavour.unknownEstimators.includes(part.estimator)) {
    refuse(part, "method", `this recipe's trainer knows no estimator "${part.estimator}"`);
  }
  if (loss && !isNamedByLoss) part.actor.push(`${role}.actor.policy_loss.loss_mode=${loss}`);
}

function addAggregation(part: MethodPart, method: Method, loss: string | undefined): void {
  const aggregation = aggregations[effectiveAggregation(method)];
  if (aggregation === undefined) refuse(part, "method.aggregation", "there is no sum over all tokens");
  // Where the loss fixes its aggregation, the setting is that of KL and entropy; Dr. GRPO fixes that, too.
  const asked = method.penaltyAggregation;
  const penalties = asked === undefined ? undefined : aggregations[asked];
  const mode = loss === "gspo" ? penalties : aggregation;
  const isFixed = isDrGrpo(method, loss);
  if (!isFixed && mode !== undefined && mode !== "token-mean") part.actor.push(`${role}.actor.loss_agg_mode=${mode}`);
  const acting = isFixed ? "seq-mean-token-sum" : mode;
  if (loss !== undefined && asked !== undefined && (penalties === undefined || penalties !== acting)) {
    const message = `KL and entropy cannot be aggregated by ${asked} beside this policy term`;
    refuse(part, "method.penaltyAggregation", message);
  }
  if (isFixed && method.aggregation !== "seqMeanTokenSumNorm") {
    refuse(part, "method.aggregation", `its Dr. GRPO aggregates by seqMeanTokenSumNorm, not by ${method.aggregation}`);
  }
  if (loss !== undefined && clippingTraits[method.clipping.kind].fixesAggregation !== null) {
    const fixed = effectiveAggregation(method);
    if (method.aggregation !== fixed) {
      const message = `${method.aggregation} is not passed: the loss aggregates by ${fixed}, here and there`;
      part.notes.push({ path: "method.aggregation", message });
    }
  }
}

function addAdvantage(part: MethodPart, advantage: Method["advantage"]): void {
  if (advantage.kind === "gae") {
    part.algorithm.push(`algorithm.gamma=${number(advantage.gamma)}`, `algorithm.lam=${number(advantage.lambda)}`);
    part.critic.push(`critic.cliprange_value=${number(advantage.valueClip)}`);
  } else {
    part.algorithm.push(`algorithm.gamma=${number(discountOf(advantage))}`);
  }
  if (advantage.kind === "gigpo") {
    part.algorithm.push(`algorithm.gigpo.step_advantage_w=${number(advantage.stepWeight)}`);
    part.algorithm.push(`algorithm.gigpo.mode=${advantage.scale === "groupStd" ? "mean_std_norm" : "mean_norm"}`);
    if (advantage.similarity !== null) {
      part.algorithm.push("algorithm.gigpo.enable_similarity=True");
      part.algorithm.push(`algorithm.gigpo.similarity_thresh=${decimal(advantage.similarity)}`);
    }
  }
}

/** Read by GiGPO, and by REINFORCE++ without a baseline; 0.95 is what the released scripts give every estimator. */
function discountOf(advantage: Exclude<Method["advantage"], { kind: "gae" }>): number {
  if (advantage.kind === "reinforcePlusPlus" && advantage.baseline === "none") return advantage.gamma ?? 1;
  return advantage.kind === "gigpo" ? advantage.gamma : 0.95;
}

/** The loss's name; empty for the usual one, undefined where there is none. */
function lossOf(kind: Method["clipping"]["kind"]): string | undefined {
  const losses: Readonly<Record<typeof kind, string | undefined>> = {
    token: "",
    sequence: "gspo",
    sapo: "sapo",
    cispo: "cispo",
    aepo: "aepo",
    geometricMean: undefined,
    clipCov: undefined,
    klCov: undefined,
  };
  return losses[kind];
}

function estimatorOf(advantage: Method["advantage"], part: MethodPart): string {
  switch (advantage.kind) {
    case "group":
      if (advantage.scale === "none") {
        refuse(
          part,
          "method.advantage.scale",
          "advantages without division by the spread come with the usual loss only",
        );
      }
      return advantage.samples === "episodes" ? "vanilla_grpo" : "grpo";
    case "rloo":
      return "rloo";
    case "reinforcePlusPlus":
      return advantage.baseline === "group" ? "reinforce_plus_plus_baseline" : "reinforce_plus_plus";
    case "gae":
      if (advantage.turns !== null) {
        refuse(part, "method.advantage.turns", "there is no advantage estimation over turns first");
      }
      return "gae";
    case "gigpo":
      return "gigpo";
    case "empg":
      refuseOtherConstants(part, "method.advantage", [
        [advantage.k, 1, "k"],
        [advantage.kFuture, 1, "kFuture"],
        [advantage.zeta, 0.05, "zeta"],
      ]);
      if (advantage.scale === "none") refuse(part, "method.advantage.scale", "its EMPG divides by the group's spread");
      return "empg";
  }
}

/** Numbers that the code has as constants: [asked for, theirs, name]. */
function refuseOtherConstants(
  part: MethodPart,
  section: string,
  constants: readonly (readonly [number, number, string])[],
): void {
  for (const [value, theirs, name] of constants) {
    if (value === theirs) continue;
    const path = `${section}.${name}`;
    refuse(part, path, `${value} is refused: it is ${theirs} in the code, and no override reaches it`);
  }
}

function clippingArguments({ clipping, advantage }: Method, part: MethodPart): string[] {
  const actor = `${role}.actor`;
  const ranges = "low" in clipping ? clipping : undefined;
  // A row's ratio has a range two orders of magnitude tighter than the scripts' default.
  const isSequence = clippingTraits[clipping.kind].ratio === "row";
  const low = ranges && (isSequence || ranges.low !== 0.2) ? [`${actor}.clip_ratio_low=${number(ranges.low)}`] : [];
  const high = ranges && (isSequence || ranges.high !== 0.2) ? [`${actor}.clip_ratio_high=${number(ranges.high)}`] : [];
  const soft =
    clipping.kind === "sapo"
      ? [`${actor}.tau_pos=${decimal(clipping.tauPositive)}`, `${actor}.tau_neg=${decimal(clipping.tauNegative)}`]
      : [];
  const mask = sequenceMaskOf(clipping);
  const masked = mask ? [`${actor}.use_seq_mask=True`, `${actor}.seq_mask_delta=${number(mask.delta)}`] : [];
  if ("dual" in clipping && clipping.dual === null) {
    refuse(part, "method.clipping.dual", "the dual clip cannot be switched off");
  }
  const dual =
    "dual" in clipping && clipping.dual !== null && clipping.dual !== 3
      ? [`${actor}.clip_ratio_c=${number(clipping.dual)}`]
      : [];
  if (clipping.kind === "aepo") {
    refuseOtherConstants(part, "method.clipping", [[clipping.entropyWeight, 0.2, "entropyWeight"]]);
  }
  if (clipping.kind === "sequence") addCredit(part, clipping.credit, advantageTraits[advantage.kind].hasCritic);
  return [...low, ...high, ...soft, ...dual, ...masked];
}

/** The code gives each token its advantage: the same as the row's mean wherever all tokens of a row have one. */
function addCredit(part: MethodPart, credit: "row" | "token", hasCritic: boolean): void {
  const path = "method.clipping.credit";
  if (hasCritic && credit === "row") refuse(part, path, "its sequence clipping gives each token its advantage");
  if (!hasCritic && credit === "token") {
    part.notes.push({
      path,
      message: `token is not passed: without a critic all tokens of a row have one advantage`,
    });
  }
}

function samplingArguments(
  sampling: Method["sampling"],
  { isAgent, countsSteps }: Flavour,
  part: MethodPart,
): string[] {
  if (sampling.kind === "all") return [];
  if (sampling.kind !== "dynamic") {
    refuse(part, "method.sampling.kind", `there is no ${sampling.kind} sampling of groups`);
    return [];
  }
  const flags = [
    "algorithm.filter_groups.enable=True",
    `algorithm.filter_groups.max_num_gen_batches=${sampling.maxTries}`,
  ];
  const path = "method.sampling.coldStartIterations";
  if (isAgent) {
    if (sampling.coldStartIterations > 0)
      refuse(part, path, `${sampling.coldStartIterations} is refused: it has no cold start`);
    return flags;
  }
  if (!countsSteps && sampling.coldStartIterations > 0) {
    const message = `${sampling.coldStartIterations} is not passed: dynamic sampling starts at once, this recipe does not count steps for it`;
    part.notes.push({ path, message });
  }
  // Where the step is never passed it stays 0, and filtering begins once it exceeds the cold start.
  return [...flags, `algorithm.filter_groups.cold_start_steps=${countsSteps ? sampling.coldStartIterations : -1}`];
}
