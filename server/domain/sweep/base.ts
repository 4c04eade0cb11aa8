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
import { explainIssue } from "./problems.ts";

/** What a value that is kept as written was checked against, for whoever describes plans to an editor. */
export const checkedAgainst = new WeakMap<object, z.ZodType>();

/**
 * Checks a value against a schema but keeps it as written, without the defaults: a plan shows what its author chose,
 * and a default that changes later does not look like somebody's decision.
 */
function written<S extends z.ZodType>(schema: S) {
  const kept = z.custom<z.input<S>>().superRefine((value, context) => {
    const result = schema.safeParse(value, { reportInput: true });
    for (const { path, message } of result.error?.issues.flatMap(explainIssue) ?? []) {
      context.addIssue({ code: "custom", path: [...path], message });
    }
  });
  checkedAgainst.set(kept, schema);
  return kept;
}

/** What every cell shares: CellSpec without environment and method; what is absent takes its default. */
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
