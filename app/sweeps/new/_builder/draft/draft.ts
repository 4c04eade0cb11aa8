import { z } from "zod";
import { draftEnvironment, EnvironmentDraft } from "#app/_components/episode/environmentDraft.ts";
import { BuiltInEnvironment, environments, type EnvironmentId } from "#trainer/spec/environment.ts";
import { nameOfEnvironment, titleOfEnvironment } from "#trainer/spec/environmentTexts.ts";
import type { DimensionId } from "#server/domain/plan/sweep/dimensionTexts.ts";
import { Attached } from "#server/domain/plan/sweep/plannedEnvironment.ts";
import { SweepPlan } from "#server/domain/plan/sweep/schema.ts";
import { SearchPlan } from "#server/domain/plan/sweep/searchPlan.ts";
import { Parameter } from "#server/domain/plan/search/space.ts";
import { TrainerChoice } from "#trainer/spec/run.ts";
import { MethodChoice } from "#server/domain/plan/sweep/methodChoice.ts";

const Texts = z.record(z.string(), z.string());

export const PolicyKind = z.enum(["builtIn", "pretrained"]);
export type PolicyKind = z.infer<typeof PolicyKind>;

/** One level of a method dimension in the form: its kind, and the text of each parameter, by path within the level. */
export const LevelDraft = z.object({ kind: z.string(), values: Texts });
export type LevelDraft = z.infer<typeof LevelDraft>;

/** A correction in the form. A part (`weight`, `step`) that is off has an empty kind. */
export const CorrectionDraft = z.object({
  /** Texts of the fields outside the parts: proximal policy and averaging. */
  values: Texts,
  weight: LevelDraft,
  reject: z.array(LevelDraft),
  step: LevelDraft,
});
export type CorrectionDraft = z.infer<typeof CorrectionDraft>;

/** One environment of a mixture (with a weight) or one phase of a curriculum (with an end) in the form. */
const PartDraft = z.object({
  name: z.string(),
  weight: z.string(),
  /** End of a curriculum's phase, by iterations or success rate; both are empty in the last phase. */
  iterations: z.string(),
  success: z.string(),
  environment: EnvironmentDraft,
});
export type PartDraft = z.infer<typeof PartDraft>;

/** Environment of the sweep. `attached`: settings for its runs only, which the form cannot edit and keeps unchanged. */
const PlannedDraft = EnvironmentDraft.extend({
  /** Environments of a mixture or a curriculum; `values` is empty for these. */
  parts: z.array(PartDraft).optional(),
  attached: Attached.optional(),
});
export type PlannedDraft = z.infer<typeof PlannedDraft>;

/** Searched hyperparameter. `values` are the low, high and step of a range, or the text `of` with the choices. */
const ParameterDraft = z.object({
  path: z.string(),
  kind: z.string(),
  values: Texts,
  /** Condition on other searched hyperparameters, which the form cannot edit and keeps unchanged. */
  when: Parameter.options[0].shape.when,
});
export type ParameterDraft = z.infer<typeof ParameterDraft>;

export const SearchDraft = z.object({
  /** False if the sweep does not search; the texts in the form are kept. */
  isOn: z.boolean(),
  space: z.array(ParameterDraft),
  objectives: z.array(Texts),
  constraints: z.array(Texts),
  rule: z.enum(["none", "halving", "racing"]),
  /** Texts of all other search fields, by path within the plan's search: "sampler.kind", "trials", "halving.least". */
  values: Texts,
  /** Results of an earlier search, which the form cannot edit and keeps unchanged. */
  known: SearchPlan.shape.known,
});
export type SearchDraft = z.infer<typeof SearchDraft>;

const ElsewhereDraft = z.object({
  name: z.string(),
  numEpisodes: z.string(),
  every: z.string(),
  environment: EnvironmentDraft,
});
export type ElsewhereDraft = z.infer<typeof ElsewhereDraft>;

/** State of the form. Texts stay as typed, so that an incomplete form loses nothing; a text may list values. */
export const Draft = z.object({
  name: z.string(),
  description: z.string(),
  methods: z.array(MethodChoice),
  grid: z.object({
    aggregation: z.array(LevelDraft),
    clipping: z.array(LevelDraft),
    advantage: z.array(LevelDraft),
    sampling: z.array(LevelDraft),
    /** Corrections in the grid; null stands for no correction. Forms stored by older versions lack this property. */
    correction: z.array(CorrectionDraft.nullable()).default([]),
  }),
  environments: z.array(PlannedDraft),
  /** Evaluations in other environments. Forms stored by older versions lack this property. */
  elsewhere: z.array(ElsewhereDraft).default([]),
  /** Texts of the hyperparameters that the user set, by their path in the specification of a cell (`CellSpec`). */
  values: Texts,
  seeds: z.string(),
  /** Kind of policy; `aside` keeps the texts of the other kind. If undefined, `values` determine the kind. */
  policy: z.object({ kind: PolicyKind, aside: Texts }).optional(),
  search: SearchDraft.optional(),
  /** Texts of early stopping, rescue and placement, by path within the plan: "stopping.at". */
  plan: Texts.default({}),
  /** Properties of a sweep file that the form cannot edit and keeps unchanged. */
  rules: SweepPlan.pick({ when: true, exclude: true, distributions: true, sample: true }).optional(),
  trainer: TrainerChoice.optional(),
});
export type Draft = z.infer<typeof Draft>;

export type { DimensionId };
export const dimensionIds = ["aggregation", "clipping", "advantage", "sampling"] as const satisfies DimensionId[];

export function emptyDraft(): Draft {
  return {
    name: "",
    description: "",
    methods: [],
    grid: { aggregation: [], clipping: [], advantage: [], sampling: [], correction: [] },
    environments: [draftEnvironment(BuiltInEnvironment.parse({ id: "sokoban" }))],
    elsewhere: [],
    values: {},
    plan: {},
    seeds: "0-1",
  };
}

export function hasGrid({ grid }: Draft): boolean {
  return grid.correction.length > 0 || dimensionIds.some((dimension) => grid[dimension].length > 0);
}

/** Returns an environment's title; a custom task has the title that the user typed. */
export function titleOfDraft({ id, values }: EnvironmentDraft): string {
  return titleOfEnvironment(
    nameOfEnvironment({ id, ...(id === "custom" && { title: values["title"] || "Your own task" }) }),
  );
}

/** Returns a free name: "sokoban", "sokoban-2". An environment without a name has its id as name. */
export function nameAmong(id: string, taken: readonly { name: string; environment: EnvironmentDraft }[]): string {
  const names = new Set(taken.map(({ name, environment }) => name.trim() || environment.id));
  let name = id;
  for (let number = 2; names.has(name); number++) name = `${id}-${number}`;
  return name;
}

export function isEnvironmentId(id: string): id is EnvironmentId {
  return Object.hasOwn(environments, id);
}
