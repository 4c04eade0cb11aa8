import { canonicalJson } from "#trainer/spec/canonical.ts";
import { methodNames, methodOf, methods, type MethodName } from "#trainer/spec/method.ts";
import { comparedMethods } from "#trainer/spec/methods/compared.ts";
import { couplings } from "./couplings.ts";
import { dimensionTexts } from "./dimensionTexts.ts";

/** Names of the 22 methods in ARLArena's tables, in the tables' order. */
export const comparedNames = methodNames.filter((name) => Object.hasOwn(comparedMethods, name));

const correctionTitle = "Correction";

export type MethodGroup = { title: string; names: MethodName[] };

/**
 * Groups published methods by the dimension in which they differ from GRPO, in the order of ARLArena's tables.
 * Methods with an off-policy correction form a separate group.
 */
export function groupMethods(shown: readonly MethodName[]): MethodGroup[] {
  const titles = ["Base", ...dimensionTexts.map(({ title }) => title), "Several dimensions", correctionTitle];
  const groups = titles.map((title): MethodGroup => ({ title, names: [] }));
  for (const name of shown) groups.find(({ title }) => title === titleOf(name))?.names.push(name);
  return groups.filter(({ names }) => names.length > 0);
}

export function findMethods(text: string): MethodName[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return methodNames.filter((name) => {
    const { title, paper, summary } = methods[name];
    const about = [name, title, paper, summary].join(" ").toLowerCase();
    return words.every((word) => about.includes(word));
  });
}

function titleOf(name: MethodName): string {
  if (methodOf(name).correction) return correctionTitle;
  const changed = dimensionTexts.filter(({ id }) => differs(name, id));
  // A turn-level ratio determines the aggregation, so the aggregation does not count as a difference from GRPO.
  const isFixed = couplings(methodOf(name)).some(({ severity }) => severity === "fixed");
  const [only, ...others] = isFixed ? changed.filter(({ id }) => id !== "aggregation") : changed;
  if (only === undefined) return "Base";
  return others.length > 0 ? "Several dimensions" : only.title;
}

function differs(name: MethodName, dimension: (typeof dimensionTexts)[number]["id"]): boolean {
  return canonicalJson(methodOf(name)[dimension]) !== canonicalJson(methodOf("grpo")[dimension]);
}
