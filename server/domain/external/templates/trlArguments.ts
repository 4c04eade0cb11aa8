import type { RunSpec } from "#trainer/spec/run.ts";
import { sequenceMaskOf } from "#trainer/spec/traits.ts";

export type TrlArguments = { arguments: string[]; problems: string[] };

/**
 * TRL's GRPOConfig for a specification, as `--name value` pairs. TRL knows rows, not turns or environments: those are
 * the script's business.
 */
export function trlArguments(spec: RunSpec, { outputFolder }: { outputFolder: string }): TrlArguments {
  const { method, rollout, optimizer, update, budget, evaluation, execution } = spec;
  const problems: string[] = [];
  const pairs: [string, string | number][] = [
    ["output_dir", outputFolder],
    ["seed", spec.seed],
    ["max_steps", budget.iterations],
    ["learning_rate", optimizer.learningRate],
    ["adam_beta1", optimizer.beta1],
    ["adam_beta2", optimizer.beta2],
    ["weight_decay", optimizer.weightDecay],
    ["max_grad_norm", optimizer.maxGradientNorm],
    ["num_generations", rollout.groupSize],
    ["temperature", rollout.temperature],
    ["max_completion_length", rollout.maxResponseTokens],
    ["num_iterations", update.epochs],
    ["beta", klOf(spec, problems)],
    ["eval_steps", evaluation.every],
    ["save_steps", Math.max(1, execution.checkpointEvery)],
    ["logging_steps", 1],
    ...lossOf(method, problems),
    ...advantageOf(method, problems),
  ];
  if (method.sampling.kind !== "all") problems.push("TRL resamples no groups");
  if (update.entropyCoef > 0) problems.push("TRL has no entropy bonus in GRPO's loss");
  return { arguments: pairs.flatMap(([name, value]) => [`--${name}`, String(value)]), problems };
}

function klOf({ update }: RunSpec, problems: string[]): number {
  if (update.klCoef > 0 && (update.klPlacement !== "loss" || update.klEstimator !== "k3")) {
    problems.push("TRL's KL is k3 in the loss");
  }
  return update.klCoef;
}

function lossOf({ clipping, aggregation }: RunSpec["method"], problems: string[]): [string, string | number][] {
  if (sequenceMaskOf(clipping)) problems.push("TRL has no sequence mask");
  const means = {
    tokenMean: "dapo",
    seqMeanTokenMean: "grpo",
    seqMeanTokenSumNorm: "dr_grpo",
    seqMeanTokenSum: undefined,
    tokenSum: undefined,
  } as const;
  const mean = means[aggregation];
  if (mean === undefined) problems.push(`TRL has no aggregation ${aggregation}`);
  switch (clipping.kind) {
    case "token":
      return [
        ["loss_type", mean ?? "grpo"],
        ["epsilon", clipping.low],
        ["epsilon_high", clipping.high],
        ...(clipping.dual === null ? [] : [["delta", clipping.dual] as [string, number]]),
      ];
    case "sequence":
      return [
        ["loss_type", "grpo"],
        ["importance_sampling_level", "sequence"],
        ["epsilon", clipping.low],
        ["epsilon_high", clipping.high],
      ];
    case "cispo":
      // Ours is a half-width above 1, TRL's an absolute cap.
      return [
        ["loss_type", "cispo"],
        ["epsilon_high", 1 + clipping.high],
      ];
    case "sapo":
      return [
        ["loss_type", "sapo"],
        ["sapo_temperature_pos", clipping.tauPositive],
        ["sapo_temperature_neg", clipping.tauNegative],
      ];
    case "aepo":
    case "geometricMean":
    case "clipCov":
    case "klCov":
      problems.push(`TRL has no ${clipping.kind} clipping`);
      return [];
  }
}

function advantageOf({ advantage }: RunSpec["method"], problems: string[]): [string, string][] {
  if (advantage.kind === "group") return [["scale_rewards", advantage.scale === "groupStd" ? "group" : "none"]];
  problems.push(`TRL's GRPO has no ${advantage.kind} advantage`);
  return [];
}
