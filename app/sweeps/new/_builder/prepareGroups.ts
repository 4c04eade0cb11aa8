import type { Hyperparameter } from "#server/domain/sweep/hyperparameters.ts";
import type { Draft } from "./draft.ts";
import { allFields } from "./fields.ts";

export type FieldGroup = { id: string; title: string; fields: Hyperparameter[]; numSet: number };

const titles: Record<string, string> = {
  budget: "Budget",
  optimizer: "Optimiser",
  update: "Update",
  rollout: "Rollouts",
  policy: "Policy",
  initialisation: "Initialisation",
  reward: "Reward",
  evaluation: "Evaluation",
  method: "Method parameters, for every method that has them",
};

/** The hyperparameters that match a filter, by group, the groups people change most first. */
export function prepareGroups(draft: Draft, filter: string): FieldGroup[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const fields = allFields().filter(({ path, title, description, group }) => {
    const text = `${path} ${title} ${description}`.toLowerCase();
    // Environments have their own section; a level of aggregation is ticked, not typed.
    return group !== "environment" && path !== "method.aggregation" && words.every((word) => text.includes(word));
  });
  const order = Object.keys(titles);
  const groups = [...new Set(fields.map(({ group }) => group))].toSorted((a, b) => order.indexOf(a) - order.indexOf(b));
  return groups.map((id) => {
    const own = fields.filter(({ group }) => group === id);
    const numSet = own.filter(({ path }) => draft.values[path] !== undefined).length;
    return { id, title: titles[id] ?? id, fields: own, numSet };
  });
}
