import { separate } from "#server/domain/plan/sweep/plannedEnvironment.ts";
import type { SweepPlan } from "#server/domain/plan/sweep/schema.ts";
import { OtherEnvironment } from "#trainer/spec/elsewhere.ts";
import type { EnvironmentSpec } from "#trainer/spec/environment.ts";
import { TrainerChoice } from "#trainer/spec/run.ts";
import { draftEnvironment } from "#app/_components/episode/environmentDraft.ts";
import { draftCorrection } from "./correctionDraft.ts";
import type { DimensionId, Draft, LevelDraft, PlannedDraft } from "./draft.ts";
import { fieldAt } from "./fields.ts";
import { draftLevel } from "./levels.ts";
import { modelPath } from "./policyDraft.ts";
import { draftSearch, textsOf } from "./searchDraft.ts";
import { formatList, formatSeeds } from "./texts.ts";

/** Converts a plan to the form's contents, such that `checkDraft(fromPlan(plan))` yields the same sweep. */
export function fromPlan(plan: SweepPlan): Draft {
  const { name, description, methods, grid = {}, environments, base, axes, seeds, placement } = plan;
  const { when, exclude, distributions, sample, search, stopping, rescue } = plan;
  const { trainer, evaluation: { elsewhere = [], ...evaluation } = {}, ...others } = base;
  const settings = { ...others, evaluation };
  const hasRules = sample !== undefined || exclude.length + Object.keys({ ...when, ...distributions }).length > 0;
  const levels = (dimension: DimensionId): LevelDraft[] =>
    (grid[dimension] ?? []).map((level) => draftLevel(dimension, level));
  return {
    name,
    description,
    methods,
    grid: {
      aggregation: levels("aggregation"),
      clipping: levels("clipping"),
      advantage: levels("advantage"),
      sampling: levels("sampling"),
      correction: (grid.correction ?? []).map((one) => one && draftCorrection(one)),
    },
    environments: environments.map((environment) => {
      const { task, attached } = separate(environment);
      return { ...draftTask(task), ...(Object.keys(attached).length > 0 && { attached }) };
    }),
    elsewhere: elsewhere.map(({ name = "", numEpisodes = "", every = "", environment }) => ({
      name,
      numEpisodes: String(numEpisodes),
      every: String(every),
      environment: draftEnvironment(OtherEnvironment.parse(environment)),
    })),
    // The values of an axis replace the base value at its path, as when the plan is expanded.
    values: {
      ...flatten(settings),
      ...Object.fromEntries(Object.entries(axes).map(([path, all]) => [path, formatList(all)])),
    },
    seeds: formatSeeds(seeds),
    ...((settings.policy?.pretrained !== undefined || axes[modelPath] !== undefined) && {
      policy: { kind: "pretrained" as const, aside: {} },
    }),
    plan: {
      ...(stopping && writePart("stopping", stopping)),
      ...(rescue && writePart("rescue", rescue)),
      ...(placement && writePart("placement", placement)),
    },
    ...(search && { search: draftSearch(search) }),
    ...(trainer && { trainer: TrainerChoice.parse(trainer) }),
    ...(hasRules && { rules: { when, exclude, distributions, ...(sample && { sample }) } }),
  };
}

function draftTask(task: EnvironmentSpec): PlannedDraft {
  if (task.id !== "mixture" && task.id !== "curriculum") return draftEnvironment(task);
  const parts = (task.id === "mixture" ? task.parts : task.phases).map((part) => ({
    name: part.name ?? "",
    weight: "weight" in part ? String(part.weight) : "",
    iterations: "until" in part ? String(part.until?.iterations ?? "") : "",
    success: "until" in part ? String(part.until?.success ?? "") : "",
    environment: draftEnvironment(part.environment),
  }));
  return { id: task.id, values: {}, parts };
}

function writePart(part: string, value: object): Record<string, string> {
  return Object.fromEntries(Object.entries(textsOf(part, value)).map(([name, text]) => [`${part}.${name}`, text]));
}

function flatten(value: unknown, prefix = ""): Record<string, string> {
  // An absent optional object has no fields; a nullable field whose value is null becomes "off".
  if (value === undefined || (value === null && !fieldAt(prefix)?.isNullable)) return {};
  if (typeof value !== "object" || value === null) return { [prefix]: formatList([value]) };
  const parts = Object.entries(value).map(([key, child]) => flatten(child, prefix === "" ? key : `${prefix}.${key}`));
  return Object.assign({}, ...parts);
}
