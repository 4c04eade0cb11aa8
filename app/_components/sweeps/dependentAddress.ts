import { type DependentChoice, dependentChoices } from "#server/domain/plan/sweep/dependence.ts";
import { choicePart } from "#app/_ui/address.ts";

/** URL parameter that adds branches, starts and search trials to an analysis of methods. */
export const dependentPart = choicePart<DependentChoice>("dependent", dependentChoices, "leftOut");

/** Part of an analysis' input: empty unless the URL adds branches, starts and search trials. */
export function askDependent(query: URLSearchParams): { dependent?: DependentChoice } {
  const dependent = dependentPart.parse(query);
  return dependent === "added" ? { dependent } : {};
}
