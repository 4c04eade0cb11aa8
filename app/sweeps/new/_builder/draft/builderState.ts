import { z } from "zod";
import { AppError, type InputIssue } from "#server/domain/errors.ts";
import { parsePlan, toYaml } from "#server/domain/sweep/plan.ts";
import type { SweepPlan } from "#server/domain/sweep/schema.ts";
import { Draft, emptyDraft } from "./draft.ts";
import { fromPlan } from "./fromPlan.ts";
import { checkDraft } from "./toPlan.ts";

/**
 * The builder as a whole: the form, and the YAML text while its tab is open. The form is not touched until a changed
 * text is valid and its tab is left, and an invalid text keeps its tab: neither side loses anything.
 */
export const BuilderState = z.object({
  tab: z.enum(["form", "yaml"]),
  draft: Draft,
  yaml: z.object({ text: z.string(), isChanged: z.boolean() }),
  /** What `start` replaced, for undo. */
  replaced: Draft.optional(),
});
export type BuilderState = z.infer<typeof BuilderState>;

export type BuilderAction =
  | { do: "edit"; draft: Draft }
  | { do: "type"; text: string }
  | { do: "openYaml" }
  /** Takes the text over into the form; refused (the state is unchanged) while the text is invalid. */
  | { do: "openForm" }
  /** Back to the form as it was before the text was changed. */
  | { do: "discardYaml" }
  | { do: "start"; plan: SweepPlan | undefined }
  | { do: "undo" }
  | { do: "restore"; state: BuilderState };

export function initialState(plan?: SweepPlan): BuilderState {
  return { tab: "form", draft: plan ? fromPlan(plan) : emptyDraft(), yaml: { text: "", isChanged: false } };
}

export function reduceBuilder(state: BuilderState, action: BuilderAction): BuilderState {
  switch (action.do) {
    case "edit":
      return { ...state, draft: action.draft };
    case "type":
      return { ...state, yaml: { text: action.text, isChanged: true } };
    case "openYaml":
      return state.tab === "yaml"
        ? state
        : { ...state, tab: "yaml", yaml: { text: writeYaml(state.draft), isChanged: false } };
    case "openForm": {
      if (!state.yaml.isChanged) return { ...state, tab: "form" };
      const { plan } = readYaml(state.yaml.text);
      return plan ? { ...state, tab: "form", draft: fromPlan(plan) } : state;
    }
    case "discardYaml":
      return { ...state, tab: "form", yaml: { text: "", isChanged: false } };
    case "start":
      return { ...initialState(action.plan), tab: "form", replaced: state.draft };
    case "undo":
      return state.replaced ? { ...initialState(), draft: state.replaced } : state;
    case "restore":
      return action.state;
  }
}

/** The form as a sweep file, as far as it goes. */
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
