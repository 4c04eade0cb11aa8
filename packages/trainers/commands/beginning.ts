import { originOf, wholeSeedOf } from "#trainer/spec/origin.ts";
import type { RunSpec } from "#trainer/spec/run.ts";
import type { AttemptPaths } from "./fillIn.ts";
import type { Remark } from "./handling.ts";
import type { Beginning, TrainerTemplate } from "./template.ts";

/** Message for a branch's budget that is too short. TRL's steps are optimizer steps, not iterations. */
export const endsEarly = (planned: number, step: number, done = step): string =>
  `the branch ends at iteration ${planned}, must end after iteration ${done}${done === step ? "" : ` (step ${step})`}: its origin's iterations count as well`;

/** Checkpoint from which a run continues or starts, without the Python command, which is derived from the template. */
export type Begins = Omit<Beginning, "python">;

type Begun = { spec: RunSpec; beginning?: Begins };

/** Returns specification (with the trainer's seed) and checkpoint of a run that begins from another; or a problem. */
export function beginningOf(template: TrainerTemplate, spec: RunSpec, { folder }: AttemptPaths): Begun | Remark {
  const origin = originOf(spec);
  if (!origin) return { spec };
  const { kind, run, iteration } = origin;
  const refuse = (path: string, message: string): Remark => ({ path: `initialisation.${path}`, message });
  if (template.kind !== "verl" && template.kind !== "trl") {
    return refuse(
      "kind",
      `"${spec.initialisation.kind}" is refused: runs begin from runs of verl, ARLArena or TRL alone`,
    );
  }
  if (iteration === 0)
    return refuse("iteration", "0 is refused: no checkpoint is before the first step; 1 or more has one");
  if (template.kind === "trl" && kind === "start" && template.modelArgument === undefined) {
    return refuse(
      "kind",
      '"run" is refused: the script chooses the model; name its argument in the template, as modelArgument: --model_name_or_path',
    );
  }
  if (template.kind === "verl" && kind === "branch" && spec.budget.iterations <= iteration) {
    return { path: "budget.iterations", message: endsEarly(spec.budget.iterations, iteration) };
  }
  const name = kind === "start" ? "policy" : `${template.kind === "trl" ? "checkpoint-" : "global_step_"}${iteration}`;
  const continuation = kind === "branch" ? { continuation: spec.seed } : {};
  const beginning = { kind, run, iteration, ...continuation, path: `${folder}/origin/${name}` };
  return { spec: { ...spec, seed: wholeSeedOf(spec) }, beginning };
}
