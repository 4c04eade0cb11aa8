import type { Hyperparameter } from "#server/domain/plan/sweep/settings/hyperparameters.ts";
import { correctionFieldAt } from "./levels.ts";
import { fieldAt, fieldsWithin } from "./fields.ts";
import { planFieldAt } from "./planFields.ts";

/** Returns the field of the form at a path of the sweep file, such as "base.optimizer.learningRate". */
export function fieldOf(path: string): Hyperparameter | undefined {
  const [first = "", second = "", third = "", ...rest] = path.split(".");
  const last = rest.join(".");
  switch (first) {
    case "base":
      if (path.startsWith("base.evaluation.elsewhere.")) return environmentField(path, "elsewhere");
      return fieldAt(path.slice("base.".length));
    case "axes":
      return fieldAt(path.slice("axes.".length));
    case "environments":
      if (third === "parts" || third === "phases") return environmentField(path, third);
      return fieldAt(`environment.${[third, ...rest].join(".")}`);
    case "grid":
      return second === "correction" ? correctionFieldAt(last) : fieldAt(`method.${second}.${last}`);
    case "search":
      if (second !== "space") return planFieldAt(path);
      return /\.(low|high|step|of)$/.test(path)
        ? fieldAt(path.slice("search.space.".length, path.lastIndexOf(".")))
        : undefined;
    default:
      return planFieldAt(path);
  }
}

function environmentField(path: string, list: string): Hyperparameter | undefined {
  const knob = new RegExp(`\\.${list}\\.\\d+\\.environment\\.(.+)$`).exec(path)?.[1];
  return knob === undefined ? undefined : fieldAt(`environment.${knob}`);
}

/** Returns true for the path of an optional object of the base, such as "base.budget.split". */
export function isOptionalPart(path: string): boolean {
  return path.startsWith("base.") && fieldsWithin(path.slice("base.".length)).length > 0;
}
