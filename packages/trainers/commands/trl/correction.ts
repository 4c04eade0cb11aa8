import { correctionOf, type Correction } from "#trainer/spec/correction.ts";
import type { RunSpec } from "#trainer/spec/run.ts";
import type { Remark } from "../handling.ts";

export type Pair = [name: string, value: string | number | boolean];

/**
 * Returns TRL's corrections for a separate inference engine as sampler. They are a weight per token or batch row,
 * truncated at its bounds or zero outside them, and DeepSeek-V3.2's mask relative to the sampler. TRL divides by the
 * number of all tokens, masked or not.
 */
export function samplerPairs({ method, update }: RunSpec, problems: Remark[]): Pair[] {
  const correction = correctionOf(method, update);
  const refuse = (field: string, message: string): void =>
    void problems.push({ path: `method.correction.${field}`, message });
  if (correction.proximal !== "recomputed") {
    refuse("proximal", `${correction.proximal} is refused: TRL's trainer computes the proximal policy again`);
  }
  if (correction.step) refuse("step", "TRL does not scale steps by the effective sample size");
  return [...weightPairs(correction.weight, refuse), ...maskPairs(correction, refuse)];
}

type Refuse = (field: string, message: string) => void;

function weightPairs(weight: Correction["weight"], refuse: Refuse): Pair[] {
  if (!weight) return [["vllm_importance_sampling_correction", false]];
  if (weight.level === "geometric") refuse("weight.level", "geometric is refused: TRL weighs tokens and rows");
  if (weight.normalise) refuse("weight.normalise", "TRL does not normalise weights");
  const [low, high] = weight.kind === "raw" ? [null, null] : [weight.low, weight.high];
  const mode = `${weight.level === "token" ? "token" : "sequence"}_${weight.kind === "zero" ? "mask" : "truncate"}`;
  return [
    ["vllm_importance_sampling_correction", true],
    ["vllm_importance_sampling_mode", mode],
    // TRL's default cap of 3 cannot be disabled, so a value is passed that no ratio exceeds.
    ["vllm_importance_sampling_clip_max", high ?? 1e9],
    ...(low === null ? [] : [["vllm_importance_sampling_clip_min", low] satisfies Pair]),
  ];
}

function maskPairs({ reject, denominator }: Correction, refuse: Refuse): Pair[] {
  const [first, ...others] = reject;
  if (first === undefined) return [];
  if (first.kind !== "drift" || first.anchor !== "sampler" || others.length > 0) {
    const kinds = reject.map(({ kind }) => kind).join(", ");
    refuse("reject", `${kinds} is refused: TRL leaves out rows by their drift from the sampler alone`);
    return [];
  }
  if (denominator === "kept") refuse("denominator", "kept is refused: TRL's denominator includes masked tokens");
  return [["off_policy_mask_threshold", first.delta]];
}
