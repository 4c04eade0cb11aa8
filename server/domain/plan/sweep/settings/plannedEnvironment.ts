import { z } from "zod";
import { CurriculumSpec, MixtureSpec, type EnvironmentSpec } from "#trainer/spec/environment.ts";
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

/** Settings that a method has only in one environment, by dimension; the method's `kind` cannot change. */
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
  /** Mean and standard deviation of success over the last fifth of the trial's run; null if success was not logged. */
  final: z.number().nullable(),
  spread: z.number().nullable(),
  isChosen: z.boolean(),
});

/** Record of the search that selected an environment's method settings, with all its trials. */
export const MethodSearch = z.strictObject({
  sweep: z.string().max(200),
  rule: z.string().max(1000),
  tried: z.array(Tried).max(1000),
});
export type MethodSearch = z.infer<typeof MethodSearch>;

/**
 * Settings that a plan attaches to one of its environments, besides the task. Values on axes override these settings,
 * which override the plan's base settings.
 */
export const Attached = z.strictObject({
  /** Settings of the runs in this environment, merged with the plan's base field by field. */
  base: Base.optional(),
  /** Settings by method, under the method's name in files or in legends. */
  methods: z.record(z.string(), MethodValues).optional(),
  /** Search that selected the settings in `methods`. The record has no effect on runs. */
  search: MethodSearch.optional(),
});
type Attached = z.infer<typeof Attached>;
const attached = Attached.shape;

/** An environment of a plan, with settings that apply in this environment, for all or single methods. */
export const PlannedEnvironment = z.discriminatedUnion("id", [
  SokobanSpec.extend(attached),
  AlfworldSpec.extend(attached),
  WebShopSpec.extend(attached),
  SweGymSpec.extend(attached),
  TextWorldSpec.extend(attached),
  TirMathSpec.extend(attached),
  MixtureSpec.extend(attached),
  CurriculumSpec.extend(attached),
  CustomSpec.extend(attached),
]);
export type PlannedEnvironment = z.infer<typeof PlannedEnvironment>;

export function separate({ base, methods, search, ...task }: PlannedEnvironment): {
  task: EnvironmentSpec;
  attached: Attached;
} {
  return { task, attached: { ...(base && { base }), ...(methods && { methods }), ...(search && { search }) } };
}

export function taskOf(environment: PlannedEnvironment): EnvironmentSpec {
  return separate(environment).task;
}
