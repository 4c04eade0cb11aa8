import { useEffect, useReducer, useRef, type Dispatch } from "react";
import { z } from "zod";
import type { SweepPlan } from "#server/domain/plan/sweep/schema.ts";
import { Draft, emptyDraft } from "./draft.ts";
import { fromPlan } from "./fromPlan.ts";

/** State of the builder. Leaving the YAML tab with a valid text updates the form; an invalid text prevents leaving. */
export const BuilderState = z.object({
  tab: z.enum(["form", "yaml"]),
  draft: Draft,
  yaml: z.object({ text: z.string(), isChanged: z.boolean() }),
  /** Previous form that was replaced when a preset was chosen, for undo. */
  replaced: Draft.optional(),
});
export type BuilderState = z.infer<typeof BuilderState>;

export type BuilderAction =
  | { do: "edit"; draft: Draft }
  | { do: "type"; text: string }
  /** Opens the YAML tab; `text` is the form written as a sweep file. */
  | { do: "openYaml"; text: string }
  /** Updates the form from `plan` if the text was changed; without a valid plan, nothing changes. */
  | { do: "openForm"; plan: SweepPlan | undefined }
  /** Opens the form tab with the form as it was before the text was changed. */
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
      return state.tab === "yaml" ? state : { ...state, tab: "yaml", yaml: { text: action.text, isChanged: false } };
    case "openForm": {
      if (!state.yaml.isChanged) return { ...state, tab: "form" };
      return action.plan ? { ...state, tab: "form", draft: fromPlan(action.plan) } : state;
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

/** Key in the browser's storage, one per URL: a form started from a sweep or preset overwrites no other form. */
const storageKey = () => `arlarena.newSweep${window.location.search}`;

/** Keeps the state in the browser tab across reloads and visits to other pages until the launch. */
export function useBuilder(start: SweepPlan | undefined): [BuilderState, Dispatch<BuilderAction>] {
  const [state, dispatch] = useReducer(reduceBuilder, start, initialState);
  const first = useRef(state);
  useEffect(() => {
    const stored = readStored();
    if (stored) dispatch({ do: "restore", state: stored });
  }, []);
  useEffect(() => {
    // The initial state is not stored, because it would overwrite a stored state that has not been restored yet.
    if (state !== first.current) sessionStorage.setItem(storageKey(), JSON.stringify(state));
  }, [state]);
  return [state, dispatch];
}

export function forgetBuilder(): void {
  sessionStorage.removeItem(storageKey());
}

// Returns the stored state of the builder; undefined if there is none or it does not parse.
function readStored(): BuilderState | undefined {
  try {
    return BuilderState.parse(JSON.parse(sessionStorage.getItem(storageKey()) ?? ""));
  } catch {
    return undefined;
  }
}
