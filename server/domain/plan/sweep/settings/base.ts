import { PolicySpec } from "#trainer/spec/policy.ts";
import { z } from "zod";
import {
  BudgetSpec,
  EvaluationSpec,
  ExecutionSpec,
  InitialisationSpec,
  OptimizerSpec,
  RewardSpec,
  RolloutSpec,
  TrainerChoice,
  UpdateSpec,
} from "#trainer/spec/run.ts";
import { explainIssue } from "../problems.ts";

/** Maps each schema made by `written` to the schema that validates its values, for the JSON schema of editors. */
export const checkedAgainst = new WeakMap<object, z.ZodType>();

/** Makes a schema that stores a value without defaults, so that a changed default does not appear as a changed plan. */
export function written<S extends z.ZodType>(schema: S) {
  const kept = z.custom<z.input<S>>().superRefine((value, context) => {
    const result = schema.safeParse(value, { reportInput: true });
    for (const { path, message } of result.error?.issues.flatMap(explainIssue) ?? []) {
      context.addIssue({ code: "custom", path: [...path], message });
    }
  });
  checkedAgainst.set(kept, schema);
  return kept;
}

/** Settings shared by all cells: CellSpec without environment and method. Absent settings have their default. */
export const Base = z.strictObject({
  trainer: written(TrainerChoice).optional(),
  policy: written(PolicySpec).optional(),
  initialisation: written(InitialisationSpec).optional(),
  rollout: written(RolloutSpec).optional(),
  reward: written(RewardSpec).optional(),
  update: written(UpdateSpec).optional(),
  optimizer: written(OptimizerSpec).optional(),
  evaluation: written(EvaluationSpec).optional(),
  budget: written(BudgetSpec).optional(),
  execution: written(ExecutionSpec).optional(),
});
export type Base = z.infer<typeof Base>;
