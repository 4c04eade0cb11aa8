import { canonicalJson } from "#trainer/spec/canonical.ts";
import { methodNames, methodOf, type MethodName } from "#trainer/spec/method.ts";
import { comparedMethods } from "#trainer/spec/methods/compared.ts";
import { couplings } from "#server/domain/plan/sweep/couplings.ts";
import { dimensionTexts } from "#server/domain/plan/sweep/dimensionTexts.ts";
import { dimensionIds, type DimensionId } from "../draft/draft.ts";

/** Methods in ARLArena's tables, in their order. */
export const comparedNames = methodNames.filter((name) => Object.hasOwn(comparedMethods, name));

const correctionTitle = "Correction";

export type MethodGroup = { title: string; names: MethodName[] };

/** Groups the published methods by the dimension in which they differ from GRPO, in table order; methods with a correction by that. */
export function groupMethods(): MethodGroup[] {
  const titles = ["Base", ...dimensionTexts.map(({ title }) => title), "Several dimensions", correctionTitle];
  const groups = titles.map((title): MethodGroup => ({ title, names: [] }));
  for (const name of methodNames) groups.find(({ title }) => title === titleOf(name))?.names.push(name);
  return groups.filter(({ names }) => names.length > 0);
}

function titleOf(name: MethodName): string {
  if (methodOf(name).correction) return correctionTitle;
  const changed = dimensionIds.filter((dimension) => differs(name, dimension));
  // A turn-level ratio fixes its aggregation: nobody chose that level.
  const isBrought = couplings(methodOf(name)).some(({ severity }) => severity === "fixed");
  const chosen = isBrought ? changed.filter((dimension) => dimension !== "aggregation") : changed;
  const [only, ...others] = chosen;
  if (only === undefined) return "Base";
  if (others.length > 0) return "Several dimensions";
  return dimensionTexts.find(({ id }) => id === only)?.title ?? only;
}

function differs(name: MethodName, dimension: DimensionId): boolean {
  return canonicalJson(methodOf(name)[dimension]) !== canonicalJson(methodOf("grpo")[dimension]);
}
