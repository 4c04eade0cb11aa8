import { AppError } from "#packages/base";
import { closeMatches } from "#server/domain/plan/sweep/closeMatches.ts";
import { arlarena } from "./arlarena.ts";
import { isMissing, scales, type PaperId, type PaperItem, type Recipe, type Scale } from "./paper.ts";
import { practitioners } from "./practitioners.ts";

export const paperTitles: Readonly<Record<PaperId, string>> = {
  "2602.21534": "ARLArena",
  "2510.01132": "A Practitioner's Guide to Multi-turn Agentic RL",
};

export const paperItems: readonly PaperItem[] = [...arlarena, ...practitioners];

/** Finds a table or figure by its id. Throws `not_found` and names the most similar ids. */
export function findPaperItem(id: string): PaperItem {
  const found = paperItems.find((item) => item.id.toLowerCase() === id.toLowerCase());
  if (found) return found;
  const ids = paperItems.map((item) => item.id);
  const close = closeMatches(id, ids);
  throw new AppError(
    "not_found",
    `"${id}" is not a table or figure of a paper; ${close.length > 0 ? `did you mean ${close.join(" or ")}?` : `known: ${ids.join(", ")}`}`,
  );
}

/** Finds the recipe that reproduces a table or figure at a scale. Throws `bad_input` if the scale has none. */
export function findRecipe({ id, scales }: PaperItem, scale: Scale): Recipe {
  const recipe = scales[scale];
  if (isMissing(recipe))
    throw new AppError("bad_input", `${id} cannot be reproduced at scale ${scale}: ${recipe.missing}`);
  return recipe;
}

/** Returns true if an item's recipe at a scale needs no runs. */
export function isDefinition(id: string, scale: Scale): boolean {
  const recipe = paperItems.find((item) => item.id.toLowerCase() === id.toLowerCase())?.scales[scale];
  return recipe !== undefined && !isMissing(recipe) && recipe.result.kind === "definition";
}

export function listPaperPresets(): string[] {
  const recipes = paperItems.flatMap((item) => scales.map((scale) => item.scales[scale]));
  return [...new Set(recipes.flatMap((recipe) => (isMissing(recipe) ? [] : recipe.presets)))];
}
