import { spendingOf } from "./budget.ts";
import { contentHash } from "./canonical.ts";
import type { CellSpec } from "./run.ts";

/**
 * Everything of a spec but its seed and what comes after initialisation: of equal seed, specs with equal answers have
 * the same policy before the first iteration, whichever methods go on from it.
 */
export function whatDeterminesStart(spec: CellSpec) {
  const { environment, policy, initialisation, rollout, optimizer, execution } = spec;
  const { provider, memoryLimitMb } = execution;
  const { numDemonstrations } = spendingOf(spec);
  // The rate of reinforcement learning and its groups are not those of cloning.
  const { beta1, beta2, epsilon, weightDecay, maxGradientNorm } = optimizer;
  const { shape, historyLength, maxResponseTokens } = rollout;
  return {
    environment,
    policy,
    initialisation,
    numDemonstrations,
    rollout: { shape, historyLength, maxResponseTokens },
    optimizer: { beta1, beta2, epsilon, weightDecay, maxGradientNorm },
    execution: { provider, memoryLimitMb },
  };
}

/** Names the start that runs of a cell share, seed by seed; null where there is nothing that takes time to make. */
export function startHash(spec: CellSpec): string | null {
  // Of a whole language model none is kept: it is as large as the model. Adapters are small.
  const { pretrained, loraRank } = spec.policy;
  const isKept = spec.trainer === undefined && (pretrained === undefined || loraRank !== undefined);
  const isMade = isKept && spec.initialisation.kind !== "scratch";
  return isMade ? contentHash(whatDeterminesStart(spec)) : null;
}
