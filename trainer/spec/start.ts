import { spendingOf } from "./budget.ts";
import { canonicalJson, contentHash } from "./canonical.ts";
import { environmentsOf } from "./elsewhere.ts";
import type { EnvironmentSpec, SingleEnvironment } from "./environment.ts";
import { environmentsIn } from "./environmentParts.ts";
import { originOf } from "./origin.ts";
import { rolloutShapeOf } from "./rowTokens.ts";
import type { CellSpec } from "./run.ts";

/** Returns all settings, except the seed, that determine the policy before the first iteration. */
export function whatDeterminesStart(spec: CellSpec) {
  const { policy, initialisation, rollout, optimizer, execution } = spec;
  const { provider, memoryLimitMb } = execution;
  const { numDemonstrations } = spendingOf(spec);
  // Settings of reinforcement learning are left out, since behaviour cloning does not use them.
  const { beta1, beta2, epsilon, weightDecay, maxGradientNorm } = optimizer;
  const { historyLength, maxResponseTokens } = rollout;
  const shown = shownIn(spec);
  const shape = shown === "own" ? rollout.shape : rolloutShapeOf(spec);
  // Environments without demonstrations still add words and positions to the policy.
  const rest = { own: environmentsOf(spec).slice(1), all: [], others: environmentsOf(spec) };
  const elsewhere = rest[shown];
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

/** Returns where demonstrations are played: in training, in all environments of the run, or in all others. */
export function shownIn({ initialisation }: Pick<CellSpec, "initialisation">): "own" | "all" | "others" {
  return (initialisation.kind === "demonstrations" && initialisation.environments) || "own";
}

/** Returns the environments of a run in which it is only evaluated, not trained. */
function othersOf(spec: CellSpec): SingleEnvironment[] {
  const own = environmentsIn(spec.environment).map(canonicalJson);
  return environmentsOf(spec).filter((one) => !own.includes(canonicalJson(one)));
}

/**
 * Returns the environment of the demonstrations: the training environment, the first phase of a curriculum, one other
 * environment, or a mixture. The components of a mixture are sorted, so that equal sets of environments give equal
 * specifications.
 */
export function demonstratedIn(spec: CellSpec): EnvironmentSpec {
  const { environment } = spec;
  const shown = shownIn(spec);
  if (shown === "own") return (environment.id === "curriculum" && environmentsIn(environment)[0]) || environment;
  const chosen = shown === "all" ? environmentsOf(spec) : othersOf(spec);
  const known = chosen.flatMap((one) => (one.id === "custom" ? [] : [one]));
  const order = known.toSorted((a, b) => (canonicalJson(a) < canonicalJson(b) ? -1 : 1));
  const [only] = order;
  if (shown === "others" && only && order.length === 1) return only;
  return { id: "mixture", parts: order.map((one) => ({ weight: 1, environment: one })) };
}

/** Returns an error if demonstrations should be played in other environments, but the run has none. */
export function startConflictsOf(spec: CellSpec): { path: string; message: string }[] {
  if (shownIn(spec) !== "others" || othersOf(spec).length > 0) return [];
  const message =
    "the run has no environment besides that of training to demonstrate; name one in evaluation.elsewhere";
  return [{ path: "initialisation.environments", message }];
}

/** Returns a key of the initial policy or origin state that runs with equal seeds share; null if not cached. */
export function startHash(spec: CellSpec): string | null {
  // A fully trained language model's initial policy is as large as the model, so it is not cached.
  const { pretrained, loraRank } = spec.policy;
  const isKept = spec.trainer === undefined && (pretrained === undefined || loraRank !== undefined);
  const origin = originOf(spec);
  if (origin) return contentHash([origin.spec, origin.iteration]);
  const isMade = isKept && spec.initialisation.kind !== "scratch";
  return isMade ? contentHash(whatDeterminesStart(spec)) : null;
}
