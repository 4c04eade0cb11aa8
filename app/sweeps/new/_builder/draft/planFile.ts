import { AppError, type InputIssue } from "#packages/base";
import { parsePlan, toYaml } from "#server/domain/plan/sweep/plan.ts";
import type { SweepPlan } from "#server/domain/plan/sweep/schema.ts";
import type { Draft } from "./draft.ts";
import { checkDraft } from "./toPlan.ts";

/** Converts the form to the text of a YAML sweep file; values that do not parse are omitted. */
export function writeYaml(draft: Draft): string {
  const { raw, valid } = checkDraft(draft);
  return toYaml(valid?.plan ?? raw);
}

export type ReadYaml = { plan: SweepPlan; issues: [] } | { plan: undefined; issues: readonly InputIssue[] };

export function readYaml(text: string): ReadYaml {
  try {
    return { plan: parsePlan(text), issues: [] };
  } catch (error) {
    if (error instanceof AppError) return { plan: undefined, issues: error.issues };
    throw error;
  }
}
