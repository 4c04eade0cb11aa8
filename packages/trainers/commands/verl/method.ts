import type { Method } from "#trainer/spec/method.ts";
import type { RunSpec } from "#trainer/spec/run.ts";
import { addAggregation } from "./aggregation.ts";
import { clippingArguments } from "./clipping.ts";
import { correctionArguments } from "./correction.ts";
import {
  agentLosses,
  type Chosen,
  decimal,
  type Flavour,
  isDrGrpo,
  lossOf,
  type MethodPart,
  number,
  python,
  refuse,
  refuseOtherConstants,
  role,
} from "./part.ts";

export function methodArguments(spec: Pick<RunSpec, "method" | "update">, flavour: Flavour): MethodPart {
  const { method } = spec;
  const part: MethodPart = {
    estimator: "",
    actor: [],
    algorithm: [],
    sampling: [],
    critic: [],
    correction: [],
    notes: [],
    problems: [],
  };
  const loss = lossOf(method.clipping);
  if (loss !== "" && !flavour.losses.includes(loss)) {
    const message = `there is no loss for ${method.clipping.kind} clipping in ${flavour.trainer}`;
    refuse(part, "method.clipping.kind", message);
  }
  if (flavour.trainer === "verl") part.correction.push(...correctionArguments(method, part));
  else if (method.correction) {
    refuse(
      part,
      "method.correction",
      `${flavour.trainer} does not correct for the sampler: its copy of verl is too old`,
    );
  }
  addEstimator(part, method, { loss, flavour });
  part.actor.push(...clippingArguments(method, flavour, part));
  addAggregation(part, spec, { loss, flavour });
  addAdvantage(part, method.advantage, flavour);
  part.sampling.push(...groupArguments(method.sampling, flavour, part));
  return part;
}

function addEstimator(part: MethodPart, method: Method, { loss, flavour }: Chosen): void {
  const { advantage } = method;
  const base = isDrGrpo(method, { loss, flavour }) ? "drgrpo" : estimatorOf(advantage, flavour, part);
  if (base === "drgrpo" && flavour.rows === "turns" && advantage.kind === "group" && advantage.samples === "episodes") {
    refuse(part, "method.advantage.samples", "episodes is refused: its Dr. GRPO takes every turn as a sample");
  }
  // The agents' estimator name also selects the loss; otherwise, or if it is lacking, the loss is named explicitly.
  const isNamedByLoss =
    base === "grpo" && agentLosses.some((name) => name === loss) && !flavour.unknownEstimators.includes(loss);
  part.estimator = isNamedByLoss ? loss : base;
  if (flavour.unknownEstimators.includes(part.estimator)) {
    refuse(part, "method", `this recipe's trainer has no estimator "${part.estimator}"`);
  }
  if (loss !== "" && !isNamedByLoss) part.actor.push(`${role}.actor.policy_loss.loss_mode=${loss}`);
}

function addAdvantage(part: MethodPart, advantage: Method["advantage"], { rows }: Flavour): void {
  if (advantage.kind === "group" && rows === "episodes") {
    part.algorithm.push(`algorithm.norm_adv_by_std_in_grpo=${python(advantage.scale === "groupStd")}`);
    if (advantage.samples === "turns") {
      const message = "turns is not passed: its rows are whole episodes, one sample each";
      part.notes.push({ path: "method.advantage.samples", message });
    }
  }
  if (advantage.kind === "passK") {
    part.algorithm.push(`algorithm.norm_adv_by_std_in_grpo=${python(advantage.scale === "groupStd")}`);
  }
  if (advantage.kind === "gae") {
    part.algorithm.push(`algorithm.gamma=${number(advantage.gamma)}`, `algorithm.lam=${number(advantage.lambda)}`);
    part.critic.push(`critic.cliprange_value=${number(advantage.valueClip)}`);
  } else {
    part.algorithm.push(`algorithm.gamma=${number(discountOf(advantage, rows))}`);
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

/** Names of advantage estimators in verl's own trainer, by the kind of advantage. */
const estimators = { opo: "opo", remax: "remax", passK: "grpo_passk", gpg: "gpg" } as const;

/** Discount: the method's for GiGPO and REINFORCE++ without a baseline; else 1, or 0.95 as in the agents' scripts. */
function discountOf(advantage: Exclude<Method["advantage"], { kind: "gae" }>, rows: Flavour["rows"]): number {
  if (advantage.kind === "reinforcePlusPlus" && advantage.baseline === "none") return advantage.gamma ?? 1;
  if (advantage.kind === "gigpo") return advantage.gamma;
  return rows === "turns" ? 0.95 : 1;
}

function estimatorOf(advantage: Method["advantage"], { rows, trainer }: Flavour, part: MethodPart): string {
  switch (advantage.kind) {
    case "group":
      if (rows === "episodes") return "grpo";
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
    case "opo":
    case "remax":
    case "passK":
    case "gpg":
      if (trainer === "verl") return estimators[advantage.kind];
      refuse(part, "method.advantage.kind", `the template passes no ${advantage.kind} advantage`);
      return "grpo";
    case "opob":
    case "maxRl":
    case "hgpo":
      refuse(part, "method.advantage.kind", `the template passes no ${advantage.kind} advantage`);
      return "grpo";
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

function groupArguments(
  sampling: Method["sampling"],
  { trainer, countsSteps, filtersBy, filterMetric }: Flavour,
  part: MethodPart,
): string[] {
  if (filtersBy === "oversampling") return oversamplingArguments(sampling, part);
  if (sampling.kind === "all") return [];
  if (filtersBy === "refill") return refillArguments(sampling, filterMetric ?? "reward", part);
  if (filtersBy === null) {
    refuse(part, "method.sampling.kind", `${trainer} before 0.9 trains on all groups`);
    return [];
  }
  if (sampling.kind !== "dynamic") {
    refuse(part, "method.sampling.kind", `there is no ${sampling.kind} sampling of groups`);
    return [];
  }
  const flags = [
    "algorithm.filter_groups.enable=True",
    `algorithm.filter_groups.max_num_gen_batches=${sampling.maxTries}`,
  ];
  const path = "method.sampling.coldStartIterations";
  if (trainer === "verl-agent") {
    if (sampling.coldStartIterations > 0)
      refuse(part, path, `${sampling.coldStartIterations} is refused: it has no cold start`);
    return flags;
  }
  if (!countsSteps && sampling.coldStartIterations > 0) {
    const message = `${sampling.coldStartIterations} is not passed: dynamic sampling starts at once, this recipe does not count steps for it`;
    part.notes.push({ path, message });
  }
  // If the trainer never passes its step, it stays 0, and filtering begins only above the cold start.
  return [...flags, `algorithm.filter_groups.cold_start_steps=${countsSteps ? sampling.coldStartIterations : -1}`];
}

/** Drops groups with equal rewards from one larger batch; copies replace missing groups. */
function oversamplingArguments(sampling: Method["sampling"], part: MethodPart): string[] {
  if (sampling.kind === "all") return ["trainer.rejection_sample=False", "trainer.oversample_multiplier=1"];
  if (sampling.kind !== "oversample") {
    const message = `there is no ${sampling.kind} sampling of groups; oversample is what this recipe does`;
    refuse(part, "method.sampling.kind", message);
    return [];
  }
  if (sampling.maxTries > 1) {
    const message = `${sampling.maxTries} is not passed: it tries once and fills up with copies of the groups that it found`;
    part.notes.push({ path: "method.sampling.maxTries", message });
  }
  if (sampling.signal !== "reward") {
    const message = `${sampling.signal} is not passed: groups are uniform there when their rewards are`;
    part.notes.push({ path: "method.sampling.signal", message });
  }
  return ["trainer.rejection_sample=True", `trainer.oversample_multiplier=${sampling.factor}`];
}

/** Replaces groups with equal rewards until the batch is full, without a limit of attempts. */
function refillArguments(sampling: Method["sampling"], metric: "reward" | "acc", part: MethodPart): string[] {
  if (sampling.kind === "all") return [];
  if (sampling.kind !== "dynamic") {
    refuse(part, "method.sampling.kind", `there is no ${sampling.kind} sampling of groups; dynamic is what verl does`);
    return [];
  }
  if (sampling.coldStartIterations > 0) {
    const message = `${sampling.coldStartIterations} is refused: verl filters from the first step on`;
    refuse(part, "method.sampling.coldStartIterations", message);
  }
  const message = `${sampling.maxTries} is not passed: verl draws groups until its batch is full`;
  part.notes.push({ path: "method.sampling.maxTries", message });
  if (metric === "acc") {
    const path = "method.sampling.signal";
    const text = "verl 0.9.0 filters by acc: the reward function must return a number, or a dictionary with acc";
    part.notes.push({ path, message: text });
  }
  return ["algorithm.filter_groups.enable=True", `algorithm.filter_groups.metric=${metric}`];
}
