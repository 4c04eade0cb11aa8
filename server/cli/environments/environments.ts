import { environments, BuiltInEnvironment, type EnvironmentId } from "#trainer/spec/environment.ts";
import { knobOf } from "#server/domain/environments/environmentKnobs.ts";
import { AppError } from "#packages/base";
import { closeMatches } from "#server/domain/plan/sweep/closeMatches.ts";
import { environmentFields, type Hyperparameter } from "#server/domain/plan/sweep/settings/hyperparameters.ts";
import { toColumns } from "../views/columns.ts";
import type { Outcome, Screen } from "../command.ts";

const ids: readonly EnvironmentId[] = BuiltInEnvironment.options.map((option) => option.shape.id.value);

/** Finds an environment id by name, ignoring case. Throws `not_found` with the most similar names. */
export function findEnvironment(name: string): EnvironmentId {
  const id = ids.find((known) => known.toLowerCase() === name.toLowerCase());
  if (id !== undefined) return id;
  const close = closeMatches(name, ids);
  const hint = close.length > 0 ? `did you mean ${close.join(" or ")}?` : `there are ${ids.join(", ")}`;
  throw new AppError("not_found", `there is no environment "${name}"; ${hint}`);
}

export function listEnvironments(screen: Screen): Outcome {
  const rows = ids.flatMap((id) => {
    const knobs = environmentFields(id).map((field) => ["", knobOf(field), describeValues(field), field.title]);
    return [[id, "", "", environments[id].summary], ...knobs];
  });
  const json = ids.map((id) => {
    const { title, summary } = environments[id];
    return { id, title, summary, knobs: environmentFields(id).map((field) => ({ ...field, name: knobOf(field) })) };
  });
  return {
    text: toColumns(["NAME", "KNOB", "VALUES", "MEANS"], rows, screen),
    json: { environments: json },
    exitCode: 0,
  };
}

/** Describes the bounds or options of an environment parameter, and its default: "5–10 (6)". */
function describeValues(field: Hyperparameter): string {
  const usual = field.default === undefined ? "" : ` (${String(field.default)})`;
  switch (field.kind) {
    case "number":
      return `${field.min ?? ""}–${field.max ?? ""}${usual}`;
    case "flag":
      return `true|false${usual}`;
    case "choice":
      return `${field.options.join("|")}${usual}`;
    case "text":
      return `a text${usual}`;
    case "set":
      return `any of ${field.options.join(",")}`;
  }
}
