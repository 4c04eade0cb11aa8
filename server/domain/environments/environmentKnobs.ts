import { BuiltInEnvironment, type EnvironmentId } from "#trainer/spec/environment.ts";
import { environmentFields, type Hyperparameter } from "#server/domain/plan/sweep/settings/hyperparameters.ts";
import { explainIssue, formatPath } from "#server/domain/plan/sweep/problems.ts";

export type KnobProblems = Readonly<Record<string, string>>;
export type ReadEnvironment =
  | { environment: BuiltInEnvironment; problems: Record<string, never> }
  | { environment: undefined; problems: KnobProblems };

/** Parses an environment's parameters as entered in a form, with errors by parameter. Empty fields use the default. */
export function readEnvironment(id: EnvironmentId, texts: Readonly<Record<string, string>>): ReadEnvironment {
  const fields = new Map(environmentFields(id).map((field) => [knobOf(field), field]));
  const given = Object.entries(texts).flatMap(([knob, text]) => {
    const field = fields.get(knob);
    return text.trim() === "" ? [] : [[knob, field ? readKnob(field, text.trim()) : text]];
  });
  const parsed = BuiltInEnvironment.safeParse({ ...Object.fromEntries(given), id }, { reportInput: true });
  if (parsed.success) return { environment: parsed.data, problems: {} };
  const problems = parsed.error.issues.flatMap(explainIssue);
  return {
    environment: undefined,
    problems: Object.fromEntries(
      problems.map(({ path, message }) => [formatPath(path).split(/[.[]/)[0] ?? "", message]),
    ),
  };
}

/** Returns the name of an environment parameter, such as `size` for the path `environment.size`. */
export function knobOf({ path }: Hyperparameter): string {
  return path.slice("environment.".length);
}

function readKnob(field: Hyperparameter, text: string): unknown {
  switch (field.kind) {
    case "number":
      return Number.isFinite(Number(text)) ? Number(text) : text;
    case "flag":
      return text === "true" ? true : text === "false" ? false : text;
    case "set":
      return text.split(/[,;\s]+/).filter(Boolean);
    case "choice":
    case "text":
      return text;
  }
}
