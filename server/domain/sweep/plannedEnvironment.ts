import { z } from "zod";
import type { EnvironmentSpec } from "#trainer/spec/environment.ts";
import { AlfworldSpec } from "#trainer/spec/environments/alfworld.ts";
import { CustomSpec } from "#trainer/spec/environments/custom.ts";
import { SokobanSpec } from "#trainer/spec/environments/sokoban.ts";
import { SweGymSpec } from "#trainer/spec/environments/sweGym.ts";
import { TextWorldSpec } from "#trainer/spec/environments/textworld.ts";
import { TirMathSpec } from "#trainer/spec/environments/tirMath.ts";
import { WebShopSpec } from "#trainer/spec/environments/webshop.ts";
import { Aggregation } from "#trainer/spec/dimensions.ts";
import { Base } from "./base.ts";

const Values = z.record(z.string(), z.json());

/** Values of a method in one environment; its kinds are the method's. */
export const MethodValues = z.strictObject({
  clipping: Values.optional(),
  advantage: Values.optional(),
  sampling: Values.optional(),
  penaltyAggregation: Aggregation.optional(),
});
export type MethodValues = z.infer<typeof MethodValues>;

const Tried = z.strictObject({
  method: z.string().max(100),
  values: MethodValues,
  /** Mean and standard deviation of success over the last fifth of its run; null where it logged none. */
  final: z.number().nullable(),
  spread: z.number().nullable(),
  isChosen: z.boolean(),
});

/** Where an environment's values of methods come from: a search before the comparison, with all that was tried. */
export const MethodSearch = z.strictObject({
  sweep: z.string().max(200),
  rule: z.string().max(1000),
  tried: z.array(Tried).max(1000),
});
export type MethodSearch = z.infer<typeof MethodSearch>;

/** What an environment of a plan has beside its difficulty; laid over the plan's base, and below axes. */
export const Attached = z.strictObject({
  /** Settings of the runs in this environment, section by section and field by field. */
  base: Base.optional(),
  /** By the method's name in files or in legends. */
  methods: z.record(z.string(), MethodValues).optional(),
  /** Of those values; it changes nothing that runs do. */
  search: MethodSearch.optional(),
});
type Attached = z.infer<typeof Attached>;
const attached = Attached.shape;

/** An environment of a plan, with the settings that belong to it and not to the methods compared in it. */
export const PlannedEnvironment = z.discriminatedUnion("id", [
  SokobanSpec.extend(attached),
  AlfworldSpec.extend(attached),
  WebShopSpec.extend(attached),
  SweGymSpec.extend(attached),
  TextWorldSpec.extend(attached),
  TirMathSpec.extend(attached),
  CustomSpec.extend(attached),
]);
export type PlannedEnvironment = z.infer<typeof PlannedEnvironment>;

/** An environment's task, and what is attached to it. */
export function separate({ base, methods, search, ...task }: PlannedEnvironment): {
  task: EnvironmentSpec;
  attached: Attached;
} {
  return { task, attached: { ...(base && { base }), ...(methods && { methods }), ...(search && { search }) } };
}

/** The task alone, as cells and labels have it. */
export function taskOf(environment: PlannedEnvironment): EnvironmentSpec {
  return separate(environment).task;
}
