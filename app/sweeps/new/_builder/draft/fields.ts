import { MadeInitialisation } from "#trainer/spec/run.ts";
import { Lag } from "#trainer/spec/sampler.ts";
import {
  environmentFields,
  hyperparameters,
  type Hyperparameter,
} from "#server/domain/plan/sweep/settings/hyperparameters.ts";
import type { DimensionId } from "#server/domain/plan/sweep/methods/dimensionTexts.ts";
import { isEnvironmentId } from "./sweepFile.ts";

const initialisation: Hyperparameter = {
  kind: "choice",
  path: "initialisation.kind",
  group: "initialisation",
  title: "Start from",
  description:
    "Initial policy: cloned from demonstrations, cloned and then fine-tuned on its own successes (rejection fine-tuning), or with random weights.",
  options: MadeInitialisation.options.map((option) => option.shape.kind.value),
  default: "demonstrations",
};

const lag: Hyperparameter = {
  kind: "choice",
  path: "rollout.lag.kind",
  group: "rollout",
  title: "Kind of lag",
  description:
    "Lag of the sampling policy behind the trained policy: the same for all episodes, or sampled for each episode.",
  options: Lag.options.map((option) => option.shape.kind.value),
  within: "rollout.lag",
};

/** Returns every hyperparameter field of the form. A field with the kind of a union precedes the union's own fields. */
export function allFields(): readonly Hyperparameter[] {
  const known = hyperparameters();
  if (known.some(({ path }) => path === initialisation.path)) return known;
  // Inserts the field of each kind before the fields of its union.
  return [initialisation, lag].reduce((fields, kind) => {
    const at = fields.findIndex(({ path }) => path.startsWith(kind.path.slice(0, -"kind".length)));
    return fields.toSpliced(at, 0, kind);
  }, known);
}

export function fieldAt(path: string): Hyperparameter | undefined {
  return allFields().find((field) => field.path === path);
}

/** Returns the field of an environment: of the sweep, of a part or phase, or of an evaluation elsewhere. */
export function environmentFieldAt(path: string): Hyperparameter | undefined {
  const place =
    /^(?:base\.evaluation\.elsewhere\.\d+\.environment|environments\.\d+(?:\.(?:parts|phases)\.\d+\.environment)?)\./;
  const knob = place.test(path) ? path.replace(place, "") : undefined;
  return knob === undefined ? undefined : fieldAt(`environment.${knob}`);
}

/** Returns true for the path of an optional object of the base, such as "base.budget.split". */
export function isOptionalPart(path: string): boolean {
  return path.startsWith("base.") && fieldsWithin(path.slice("base.".length)).length > 0;
}

export function fieldsOfLevel(dimension: DimensionId, kind: string): Hyperparameter[] {
  return allFields().filter(
    ({ path, when }) => path.startsWith(`method.${dimension}.`) && (when?.values.includes(kind) ?? false),
  );
}

/** Returns a field's keys within its level: `low` for `method.clipping.low`. */
export function keysInLevel({ path }: Hyperparameter): string[] {
  return path.split(".").slice(2);
}

export function fieldsWithin(part: string): Hyperparameter[] {
  return allFields().filter(({ within }) => within === part);
}

export function fieldsOfEnvironment(id: unknown): readonly Hyperparameter[] {
  return isEnvironmentId(id) || id === "custom" ? environmentFields(id) : [];
}

/** Optional object of the specification. The form shows a switch and, while the switch is on, the object's fields. */
type OptionalPart = {
  title: string;
  hint: string;
  start: Readonly<Record<string, string>>;
};

/** Optional objects of the specification, by the last segment of their path. */
const parts: Readonly<Record<string, OptionalPart>> = {
  split: {
    title: "One budget for demonstrations and training",
    hint: "Splits one cost budget between demonstrations and training. The split determines the numbers of demonstrations and of iterations.",
    start: { units: "10000", demonstrationShare: "0.25", demonstrationCost: "10" },
  },
  sequenceMask: {
    title: "Sequence mask",
    hint: "Leaves out training rows (turns or whole episodes) with negative advantage whose log-probability has fallen by more than δ nats per token.",
    start: { delta: "3e-3" },
  },
  lag: {
    title: "Lag",
    hint: "Samples episodes with the policy of an earlier iteration, as asynchronous trainers do.",
    start: { kind: "constant", k: "1" },
  },
  samplerNoise: {
    title: "Noise",
    hint: "Adds noise to the sampler's logits, to imitate non-deterministic kernels.",
    start: { sigma: "0.01" },
  },
  turns: {
    title: "Bi-level GAE over turns and tokens",
    hint: "Discounts over turns, then over the tokens of each turn.",
    start: { gamma: "0.95", lambda: "1" },
  },
};

export function optionalPartAt(path: string): OptionalPart {
  const name = path.split(".").at(-1) ?? path;
  return parts[name] ?? { title: name, hint: "", start: {} };
}

/** Returns a field's keys within its environment. */
export function keysInEnvironment({ path }: Hyperparameter): string[] {
  return path.split(".").slice(1);
}

/** Placeholder of an empty field without a default value, by the last segment of its path. */
const emptyMeans: Readonly<Record<string, string>> = {
  klTarget: "off: fixed coefficient",
  truncatedImportance: "off: no correction",
  denominatorRows: "off: whole minibatch",
  criticLearningRate: "10 × the policy’s",
  similarity: "off: equal states only",
  dual: "off: no dual clip",
  discardBeyond: "keep all ages",
  pretrained: "owner/name, or /a/folder",
  contextTokens: "4,096, or the model's maximum",
  loraRank: "none: train every weight",
  loraAlpha: "equal to the rank",
};

export function formatEmpty(path: string): string {
  return emptyMeans[path.split(".").at(-1) ?? ""] ?? (fieldAt(path)?.isNullable ? "off" : "");
}
