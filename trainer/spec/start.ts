import { spendingOf } from "./budget.ts";
import { canonicalJson, contentHash } from "./canonical.ts";
import { environmentsOf } from "./elsewhere.ts";
import { environmentsIn, type EnvironmentSpec } from "./environment.ts";
import { originOf } from "./origin.ts";
import { rolloutShapeOf } from "./rowTokens.ts";
import type { CellSpec } from "./run.ts";

/**
 * Everything that determines initialisation, except the seed. Specs with equal results have the same policy before the
 * first iteration at equal seeds, whatever method trains it afterwards.
 */
export function whatDeterminesStart(spec: CellSpec) {
  const { policy, initialisation, rollout, optimizer, execution } = spec;
  const { provider, memoryLimitMb } = execution;
  const { numDemonstrations } = spendingOf(spec);
  // Learning rate and groups of reinforcement learning do not affect cloning.
  const { beta1, beta2, epsilon, weightDecay, maxGradientNorm } = optimizer;
  const { historyLength, maxResponseTokens } = rollout;
  const isAll = isShownAll(spec);
  const shape = isAll ? rolloutShapeOf(spec) : rollout.shape;
  // Other environments of an evaluation add words and positions to the policy.
  const [, ...elsewhere] = isAll ? [] : environmentsOf(spec);
  return {
    environment: demonstratedIn(spec),
    ...(elsewhere.length > 0 && { elsewhere }),
    policy,
    initialisation,
    numDemonstrations,
    rollout: { shape, historyLength, maxResponseTokens },
    optimizer: { beta1, beta2, epsilon, weightDecay, maxGradientNorm },
    execution: { provider, memoryLimitMb },
  };
}

/** True where demonstrations are of all environments of the run, not only of that of training. */
export function isShownAll({ initialisation }: Pick<CellSpec, "initialisation">): boolean {
  return initialisation.kind === "demonstrations" && initialisation.environments === "all";
}

/** Environment of the demonstrations: that of training, a curriculum's first, or a mixture of all, in a fixed order. */
export function demonstratedIn(spec: CellSpec): EnvironmentSpec {
  const { environment } = spec;
  if (!isShownAll(spec)) return (environment.id === "curriculum" && environmentsIn(environment)[0]) || environment;
  const all = environmentsOf(spec).flatMap((one) => (one.id === "custom" ? [] : [one]));
  const order = all.toSorted((a, b) => (canonicalJson(a) < canonicalJson(b) ? -1 : 1));
  return { id: "mixture", parts: order.map((one) => ({ weight: 1, environment: one })) };
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
