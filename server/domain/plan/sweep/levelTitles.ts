import { dimensionTexts, type DimensionId } from "./dimensionTexts.ts";

const additionWords: Readonly<Record<string, string>> = { mask: ", masked", correction: ", corrected" };

/**
 * Title of a level from `factorLevels` ("sequence+mask") in the words of the builder's cards: "Turn clip, masked".
 * Other trainers' levels keep their own name.
 */
export function titleOfLevel(dimension: DimensionId, level: string): string {
  const [id = "", ...additions] = level.split("+");
  const known = dimensionTexts.find((one) => one.id === dimension)?.levels.find((one) => one.id === id);
  return (known?.title ?? id) + additions.map((one) => additionWords[one] ?? `, ${one}`).join("");
}
