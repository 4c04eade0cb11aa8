import { spendingOf } from "./budget.ts";
import { contentHash } from "./canonical.ts";
import { environmentsOf } from "./elsewhere.ts";
import { environmentsIn } from "./environment.ts";
import { originOf } from "./origin.ts";
import type { CellSpec } from "./run.ts";

/**
 * Everything that determines initialisation, except the seed. Specs with equal results have the same policy before the
 * first iteration at equal seeds, whatever method trains it afterwards.
 */
export function whatDeterminesStart(spec: CellSpec) {
  const { environment, policy, initialisation, rollout, optimizer, execution } = spec;
  const { provider, memoryLimitMb } = execution;
  const { numDemonstrations } = spendingOf(spec);
  // Learning rate and groups of reinforcement learning do not affect cloning.
  const { beta1, beta2, epsilon, weightDecay, maxGradientNorm } = optimizer;
  const { shape, historyLength, maxResponseTokens } = rollout;
  // Other environments of an evaluation add words and positions to the policy.
  const [, ...elsewhere] = environmentsOf(spec);
  return {
    // Demonstrations of a curriculum are of its first phase.
    environment: environment.id === "curriculum" ? environmentsIn(environment)[0] : environment,
    ...(elsewhere.length > 0 && { elsewhere }),
    policy,
    initialisation,
    numDemonstrations,
    rollout: { shape, historyLength, maxResponseTokens },
    optimizer: { beta1, beta2, epsilon, weightDecay, maxGradientNorm },
    execution: { provider, memoryLimitMb },
  };
}

/** Names what cells share before training: the policy of each seed, or the state of an origin; null where it takes no time. */
export function startHash(spec: CellSpec): string | null {
  // The start of a whole language model is not stored, because it is as large as the model. Adapters are small.
  const { pretrained, loraRank } = spec.policy;
  const isKept = spec.trainer === undefined && (pretrained === undefined || loraRank !== undefined);
  const origin = originOf(spec);
  if (origin) return contentHash([origin.spec, origin.iteration]);
  const isMade = isKept && spec.initialisation.kind !== "scratch";
  return isMade ? contentHash(whatDeterminesStart(spec)) : null;
}
