import type { RunSpec } from "#trainer/spec/run.ts";
import { agentArguments } from "./agents.ts";
import { mathArguments } from "./math.ts";
import { recipes, searchRecipe, type Recipe } from "./recipes.ts";
import type { VerlArguments, VerlSettings } from "./run.ts";
import { upstreamArguments } from "./upstream.ts";

/** Command line of verl or one of its forks, by the template's flavour and the plan's environment. */
export function verlArguments(spec: RunSpec, settings: VerlSettings): VerlArguments {
  const { id } = spec.environment;
  if (settings.flavour === "verl") return upstreamArguments(spec, settings);
  if (settings.recipe === "search") return agentArguments(spec, settings, searchRecipe);
  if ((id === "tirMath" || id === "custom") && settings.flavour === "arlarena") return mathArguments(spec, settings);
  const recipe: Recipe | undefined = id === "custom" ? undefined : recipes[id];
  if (recipe) return agentArguments(spec, settings, recipe);
  const known = [...Object.keys(recipes), ...(settings.flavour === "arlarena" ? ["tirMath", "custom"] : [])];
  const message = `no recipe for ${id} (there are ${known.join(", ")})`;
  return { module: "", overrides: [], notes: [], problems: [{ path: "environment.id", message }] };
}
