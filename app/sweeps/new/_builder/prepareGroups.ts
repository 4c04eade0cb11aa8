import { dimensionTexts } from "#server/domain/plan/sweep/methods/dimensionTexts.ts";
import type { Hyperparameter } from "#server/domain/plan/sweep/settings/hyperparameters.ts";
import { resolveMethod } from "#server/domain/plan/sweep/methods/methodChoice.ts";
import { allFields, fieldAt } from "./draft/fields.ts";
import { kindOf, levelsIn } from "./draft/levels.ts";
import { isOfPolicy, policyKindOf } from "./draft/policy.ts";
import { isSet, textOf } from "./draft/settings.ts";
import { dimensionIds, methodsIn, type Part } from "./draft/sweepFile.ts";
import { splitList } from "#app/_components/splitList.ts";

/** Path of the number of iterations, whose field is beside the sweep's name and seeds. */
export const iterationsPath = "budget.iterations";

/** Iterations of a run; of several values in the file, the first. */
export function iterationsOf(file: Part): number {
  const field = fieldAt(iterationsPath);
  const usual = field?.kind === "number" ? (field.default ?? 1) : 1;
  return Number.parseFloat(textOf(file, iterationsPath)) || usual;
}

/** Fields within one optional object. `part`: the object's path; undefined for fields outside any optional object. */
export type GroupItem = { part: string | undefined; fields: Hyperparameter[] };
export type FieldGroup = ReturnType<typeof prepareGroups>[number];

/** Titles of the groups of hyperparameters, in the order in which users usually change them. */
const titles: Readonly<Record<string, string>> = {
  budget: "Budget",
  optimizer: "Optimizer",
  rollout: "Rollouts",
  sampler: "Sampler: lag, precision and noise",
  update: "Update",
  kl: "KL to the reference policy",
  initialisation: "Initialisation",
  reward: "Reward",
  policy: "Policy",
  evaluation: "Evaluation",
  execution: "Execution",
  method: "Parameters of methods, for every method with that parameter",
};
/** Maximum number of fields of a group that is open at first because one of its fields is set. */
const maxUnfolded = 12;

/** Returns hyperparameters that match the text; for an empty text, those that apply to the form's contents. */
export function prepareGroups(file: Part, filter: string) {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = ({ path, title, description }: Hyperparameter) => {
    const text = `${path} ${title} ${description}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  // Omits fields that are elsewhere in the form: environments, iterations, and aggregation levels (checkboxes).
  const fields = allFields().filter(
    ({ path, group }) => group !== "environment" && path !== "method.aggregation" && path !== iterationsPath,
  );
  const policy = policyKindOf(file);
  const kinds = kindsInUse(file);
  const shown = fields.filter((field) =>
    words.length > 0 ? matches(field) : !isOfPolicy(field.path, policy) && isApplicable(field, file, kinds),
  );
  const order = Object.keys(titles);
  const groups = [...new Set(shown.map(groupOf))].toSorted((a, b) => order.indexOf(a) - order.indexOf(b));
  return groups.map((id) => {
    const fields = shown.filter((field) => groupOf(field) === id);
    const numSet = fields.filter(({ path }) => isSet(file, path)).length;
    const isOpen = id === "optimizer" || (numSet > 0 && fields.length <= maxUnfolded);
    return { id, title: titles[id] ?? id, items: toItems(fields), numFields: fields.length, numSet, isOpen };
  });
}

function groupOf({ path, group }: Hyperparameter): string {
  if (/^rollout\.(lag|sampler)/.test(path)) return "sampler";
  return path.startsWith("update.kl") ? "kl" : group;
}

function toItems(fields: readonly Hyperparameter[]): GroupItem[] {
  const items: GroupItem[] = [];
  for (const field of fields) {
    // An optional object of a method has no switch in this section; its parameters are listed individually.
    const part = field.group === "method" ? undefined : field.within;
    const last = items.at(-1);
    if (last && last.part === part) last.fields.push(field);
    else items.push({ part, fields: [field] });
  }
  return items;
}

/** Returns the variants that the sweep uses, by path such as `method.clipping.kind`; others are hidden. */
function kindsInUse(file: Part): ReadonlyMap<string, readonly string[]> {
  const chosen = methodsIn(file).map((choice) => resolveMethod(choice).method);
  const kinds = new Map<string, readonly string[]>();
  for (const dimension of dimensionIds) {
    const ticked = levelsIn(file, dimension).map(kindOf);
    kinds.set(`method.${dimension}.kind`, [...chosen.map((method) => kindOf(method[dimension])), ...ticked]);
  }
  kinds.set("rollout.lag.kind", splitList(textOf(file, "rollout.lag.kind") || "constant"));
  kinds.set("initialisation.kind", splitList(textOf(file, "initialisation.kind") || "demonstrations"));
  return kinds;
}

function isApplicable({ path, when }: Hyperparameter, file: Part, kinds: ReturnType<typeof kindsInUse>): boolean {
  if (when === undefined || isSet(file, path)) return true;
  const used = kinds.get(when.path) ?? [];
  return used.length === 0 || when.values.some((kind) => used.includes(kind));
}

/** Returns the titles of the levels to which a method's parameter belongs, such as "Token clip, Turn clip". */
export function formatLevels({ path, when }: Hyperparameter): string {
  const dimension = dimensionTexts.find(({ id }) => path.startsWith(`method.${id}.`));
  const levels = dimension?.levels.filter(({ id }) => when?.values.includes(id)) ?? [];
  return levels.map(({ title }) => title).join(", ");
}
