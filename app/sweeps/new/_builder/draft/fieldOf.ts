import type { Hyperparameter } from "#server/domain/plan/sweep/settings/hyperparameters.ts";
import { correctionFieldAt } from "./levels.ts";
import { environmentFieldAt, fieldAt } from "./fields.ts";
import { planFieldAt } from "./planFields.ts";

/** Returns the field of the form at a path of the sweep file, such as "base.optimizer.learningRate". */
export function fieldOf(path: string): Hyperparameter | undefined {
  const [first = "", second = "", ...rest] = path.split(".");
  const last = rest.slice(1).join(".");
  switch (first) {
    case "base":
      return environmentFieldAt(path) ?? fieldAt(path.slice("base.".length));
    case "axes":
      return fieldAt(path.slice("axes.".length));
    case "environments":
      return environmentFieldAt(path);
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
