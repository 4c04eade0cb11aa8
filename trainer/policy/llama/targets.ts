import type { LoraTargets, PolicySpec } from "#trainer/spec/policy.ts";
import type { LoraConfig, LoraTarget } from "../config.ts";

/** Matrices by setting: all of a layer, those of attention, or the two of the LoRA paper. */
const targetsOf: Readonly<Record<LoraTargets, readonly LoraTarget[]>> = {
  all: ["query", "key", "value", "out", "gate", "up", "down"],
  attention: ["query", "key", "value", "out"],
  "query-value": ["query", "value"],
};

/** The adapters of a specification. */
export function loraOf({ loraRank, loraAlpha, loraTargets = "all" }: PolicySpec): LoraConfig | undefined {
  if (loraRank === undefined) return undefined;
  return { rank: loraRank, alpha: loraAlpha ?? loraRank, targets: targetsOf[loraTargets] };
}
