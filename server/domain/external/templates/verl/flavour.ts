import type { Recipe } from "./recipes.ts";

/** Which of the two trainers it is, and what its recipe changes in the translation of a method. */
export type Flavour = Pick<Recipe, "countsSteps" | "unknownEstimators"> & {
  /** verl-agent; ARLArena otherwise. */
  isAgent: boolean;
  /** Rows of a micro-batch on each GPU. */
  microBatch: number;
};

export const role = "actor_rollout_ref";
