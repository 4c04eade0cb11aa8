import { InitialisationSpec } from "#trainer/spec/run.ts";
import { Lag } from "#trainer/spec/sampler.ts";
import { environmentFields, hyperparameters, type Hyperparameter } from "#server/domain/plan/sweep/hyperparameters.ts";
import { isEnvironmentId, type DimensionId } from "./draft.ts";

const initialisation: Hyperparameter = {
  kind: "choice",
  path: "initialisation.kind",
  group: "initialisation",
  title: "Start from",
  description: "Cloned demonstrations; these and the policy's own successes (rejection fine-tuning); or from scratch.",
  options: InitialisationSpec.options.map((option) => option.shape.kind.value),
  default: "demonstrations",
};

const lag: Hyperparameter = {
  kind: "choice",
  path: "rollout.lag.kind",
  group: "rollout",
  title: "Kind of lag",
  description: "The same for every episode, or drawn for each of them.",
  options: Lag.options.map((option) => option.shape.kind.value),
  within: "rollout.lag",
};

/** Every field that can be set or varied, preceded by the kinds that decide which other fields exist. */
export function allFields(): readonly Hyperparameter[] {
  const known = hyperparameters();
  if (known.some(({ path }) => path === initialisation.path)) return known;
  // The kind of a union precedes its fields.
  return [initialisation, lag].reduce((fields, kind) => {
    const at = fields.findIndex(({ path }) => path.startsWith(kind.path.slice(0, -"kind".length)));
    return fields.toSpliced(at, 0, kind);
  }, known);
}

export function fieldAt(path: string): Hyperparameter | undefined {
  return allFields().find((field) => field.path === path);
}

/** The parameters of one level of a dimension. */
export function fieldsOfLevel(dimension: DimensionId, kind: string): Hyperparameter[] {
  return allFields().filter(
    ({ path, when }) => path.startsWith(`method.${dimension}.`) && (when?.values.includes(kind) ?? false),
  );
}

/** The path of a field within its level: `method.clipping.low` → `low`. */
export function pathInLevel({ path }: Hyperparameter): string {
  return path.split(".").slice(2).join(".");
}

/** The fields of an optional part, such as `budget.split`. */
export function fieldsWithin(part: string): Hyperparameter[] {
  return allFields().filter(({ within }) => within === part);
}

/** The settings of an environment. */
export function fieldsOfEnvironment(id: string): readonly Hyperparameter[] {
  return isEnvironmentId(id) || id === "custom" ? environmentFields(id) : [];
}
