import { noCorrection } from "#trainer/spec/correction.ts";
import { methods, withPenalties, type Method } from "#trainer/spec/method.ts";
import { isTrue, onlyKnown, type Configured, type Recorded } from "./recorded.ts";

/** Reads method and settings from TRL's GRPOConfig (TRL 1.16); undefined for another trainer's configuration. */
export function fromTrl({ text, number }: Recorded): Configured | undefined {
  if (text("num_generations") === undefined || (text("loss_type") ?? text("beta")) === undefined) return undefined;
  const lossType = text("loss_type") ?? "dapo";
  return {
    method: methodOfTrl({ text, number }, lossType),
    settings: onlyKnown({
      optimizer: onlyKnown({
        learningRate: number("learning_rate"),
        beta1: number("adam_beta1"),
        beta2: number("adam_beta2"),
        epsilon: number("adam_epsilon"),
        weightDecay: number("weight_decay"),
        maxGradientNorm: number("max_grad_norm"),
      }),
      rollout: onlyKnown({
        groupSize: number("num_generations"),
        temperature: number("temperature"),
        maxResponseTokens: number("max_completion_length"),
      }),
      update: onlyKnown({
        klCoef: number("beta"),
        epochs: number("num_iterations"),
        entropyCoef: number("entropy_coef"),
      }),
    }),
  };
}

/** Aggregation of token terms by TRL's loss type; a method with another loss type is not proposed. */
const aggregations = {
  grpo: "seqMeanTokenMean",
  dapo: "tokenMean",
  bnpo: "tokenMean",
  dr_grpo: "seqMeanTokenSumNorm",
  cispo: "tokenMean",
  sapo: "seqMeanTokenMean",
  luspo: "seqMeanTokenSum",
  vespo: "tokenMean",
} as const satisfies Record<string, Method["aggregation"]>;

function methodOfTrl({ text, number }: Recorded, lossType: string): Method | undefined {
  const aggregation = Object.entries(aggregations).find(([name]) => name === lossType)?.[1];
  if (aggregation === undefined) return undefined;
  const scale = text("scale_rewards");
  // The studio has no equivalent of scaling by the standard deviation of the whole batch.
  if (scale === "batch") return undefined;
  const isDivided = scale === undefined || scale === "group" || isTrue(scale);
  const { grpo } = methods;
  const correction = correctionOfTrl({ text, number });
  return withPenalties({
    aggregation,
    clipping: maskOf(clippingOf(lossType, { text, number }), number("off_policy_mask_threshold")),
    advantage: { ...grpo.advantage, scale: isDivided ? "groupStd" : "none", samples: "episodes" },
    sampling: grpo.sampling,
    ...(correction && { correction }),
  });
}

/** Reads TRL's importance correction for samples of a separate inference engine; undefined if there is none. */
function correctionOfTrl({ text, number }: Recorded): Method["correction"] {
  const [isOn, engine] = [text("vllm_importance_sampling_correction"), text("use_vllm")];
  if (isOn === undefined || !isTrue(isOn) || (engine !== undefined && !isTrue(engine))) return undefined;
  const mode = text("vllm_importance_sampling_mode") ?? "sequence_mask";
  return {
    ...noCorrection,
    weight: {
      kind: mode.endsWith("_mask") ? "zero" : "clip",
      level: mode.startsWith("token") ? "token" : "row",
      low: number("vllm_importance_sampling_clip_min") ?? null,
      high: number("vllm_importance_sampling_clip_max") ?? 3,
      normalise: false,
    },
    denominator: "all",
  };
}

function maskOf(clipping: Method["clipping"], delta: number | undefined): Method["clipping"] {
  return delta !== undefined && "sequenceMask" in clipping ? { ...clipping, sequenceMask: { delta } } : clipping;
}

function clippingOf(lossType: string, { text, number }: Recorded): Method["clipping"] {
  const low = number("epsilon") ?? 0.2;
  const high = number("epsilon_high");
  if (lossType === "cispo") return { ...methods.cispo.clipping, ...(high !== undefined && { high: high - 1 }) };
  if (lossType === "vespo") {
    const stated = onlyKnown({
      kPositive: number("vespo_k_pos"),
      lambdaPositive: number("vespo_lambda_pos"),
      kNegative: number("vespo_k_neg"),
      lambdaNegative: number("vespo_lambda_neg"),
    });
    return { ...methods.vespo.clipping, ...stated };
  }
  if (lossType === "sapo") {
    const [tauPositive, tauNegative] = [number("sapo_temperature_pos"), number("sapo_temperature_neg")];
    return { ...methods.sapo.clipping, ...onlyKnown({ tauPositive, tauNegative }) };
  }
  if (text("importance_sampling_level") === "sequence") return { ...methods.gspo.clipping, low, high: high ?? low };
  return { ...methods.grpo.clipping, low, high: high ?? low, dual: number("delta") ?? null };
}
