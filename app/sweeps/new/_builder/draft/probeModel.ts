import { expandPlan } from "#server/domain/plan/sweep/expand.ts";
import { AppError } from "#packages/base";
import { SweepPlan } from "#server/domain/plan/sweep/schema.ts";
import type { Draft } from "./draft.ts";
import { modelPath } from "./policyDraft.ts";
import { checkDraft, type Checked } from "./toPlan.ts";

/** Settings that determine the memory of a run, beside its environment. */
const asked = ["policy.", "execution.", "rollout."];

/**
 * A plan of the form's policy and environments only, so that the server describes a model although other sections are incomplete. Undefined if the
 * form names no model, or if the policy's settings are wrong.
 */
export function probeModel(draft: Draft): Checked["valid"] {
  if (draft.values[modelPath] === undefined) return undefined;
  const isAsked = (path: string) => asked.some((prefix) => path.startsWith(prefix));
  const values = Object.fromEntries(Object.entries(draft.values).filter(([path]) => isAsked(path)));
  const { base, axes, environments } = checkDraft({ ...draft, values }).raw;
  const plan = { name: "a model", methods: ["grpo"], environments, base, axes, seeds: [0] };
  const parsed = SweepPlan.safeParse(plan);
  if (!parsed.success) return undefined;
  try {
    return { plan: parsed.data, expansion: expandPlan(parsed.data) };
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}
