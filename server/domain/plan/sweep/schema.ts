import { z } from "zod";
import { Correction } from "#trainer/spec/correctionSchema.ts";
import { Advantage, Aggregation, Clipping, Sampling } from "#trainer/spec/dimensions.ts";
import { Placement } from "./placement.ts";
import { Base } from "./settings/base.ts";
import { Distribution, makeSeed } from "../search/distribution.ts";
import { MethodChoice } from "./methods/methodChoice.ts";
import { PlannedEnvironment } from "./settings/plannedEnvironment.ts";
import { SearchPlan } from "../search/searchPlan.ts";
import { RescueRule } from "../rescue/rescueRule.ts";
import { Stopping } from "../stopping/stopping.ts";
import { Condition } from "./settings/rules.ts";

/**
 * Grid of methods: the Cartesian product of the listed choices in each dimension, and of corrections (null: none). A
 * dimension that is not listed has GRPO's choice.
 */
export const Grid = z.strictObject({
  aggregation: z.array(Aggregation).min(1).max(16).optional(),
  clipping: z.array(Clipping).min(1).max(16).optional(),
  advantage: z.array(Advantage).min(1).max(16).optional(),
  sampling: z.array(Sampling).min(1).max(16).optional(),
  correction: z.array(Correction.nullable()).min(1).max(16).optional(),
});
export type Grid = z.infer<typeof Grid>;

/** Value of a setting along an axis; null turns an optional part off, such as a dual clip. */
export const AxisValue = z.union([z.number(), z.string().max(1000), z.boolean(), z.null()]);
export type AxisValue = z.infer<typeof AxisValue>;

/** A sweep as written by its author. `expandPlan` converts it to cells and runs. */
export const SweepPlan = z.strictObject({
  v: z.literal(1).default(1),
  name: z.string().trim().min(1).max(100).describe("Name of the sweep in lists and charts."),
  description: z.string().max(2000).default("").describe("Question that the sweep answers, for later readers."),
  methods: z
    .array(MethodChoice)
    .max(100)
    .default([])
    .describe("Named methods and their variants. Legends and tables list them in this order."),
  grid: Grid.optional().describe(
    "Levels of the four design dimensions, and corrections. Every combination of levels is run.",
  ),
  environments: z
    .array(PlannedEnvironment)
    .min(1)
    .max(50)
    .describe("Environments in which the policies act; every method runs in each of them."),
  base: Base.prefault({}).describe("Settings that all runs share; absent settings keep their defaults."),
  /** Axes: maps a dotted path in CellSpec to the values to try. */
  axes: z
    .record(z.string(), z.array(AxisValue).min(1).max(100))
    .default({})
    .describe("Setting → values: every combination of the axes is run with every method."),
  when: z
    .record(z.string(), Condition)
    .default({})
    .describe("Dependent settings: an axis or sampled setting is set only where its condition holds."),
  exclude: z
    .array(Condition)
    .max(100)
    .default([])
    .describe("Leaves out configurations that match one of these conditions."),
  distributions: z
    .record(z.string(), Distribution)
    .default({})
    .describe("Named distributions, which `sample` can use."),
  sample: z
    .strictObject({
      count: z.int().min(1).max(5000),
      seed: makeSeed().default(0),
      parameters: z.record(z.string(), z.union([z.string(), Distribution])),
    })
    .optional()
    .describe(
      "Random samples of settings: each of the `count` samples sets every parameter and is combined with every configuration of the grid.",
    ),
  search: SearchPlan.optional().describe(
    "Hyperparameter search while the sweep runs. Each configuration of the remaining settings is searched separately.",
  ),
  stopping: Stopping.optional().describe("Rule that stops a run before its budget is used up; absent: never."),
  rescue: RescueRule.optional().describe(
    "Rule that branches collapsed or unstable runs with one change each, after the sweep's own runs; absent: never.",
  ),
  seeds: z.array(makeSeed()).min(1).max(1000).describe("Seeds: every configuration has one run per seed."),
  placement: Placement.optional().describe(
    "Slots and labels of a node that each run needs; absent: one slot of any node.",
  ),
});
export type SweepPlan = z.infer<typeof SweepPlan>;
