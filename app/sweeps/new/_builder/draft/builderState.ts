"use client";
import { useEffect, useReducer, useRef, type Dispatch } from "react";
import { z } from "zod";
import type { SweepPlan } from "#server/domain/plan/sweep/schema.ts";
import { Draft, emptyDraft } from "./draft.ts";
import { fromPlan } from "./fromPlan.ts";

/**
 * State of the builder: the form, and the YAML text while its tab is open. Leaving the tab with a valid text updates the form; an invalid text keeps
 * its tab open. So neither side loses anything.
 */
export const BuilderState = z.object({
  tab: z.enum(["form", "yaml"]),
  draft: Draft,
  yaml: z.object({ text: z.string(), isChanged: z.boolean() }),
  /** The form that `start` replaced, for undo. */
  replaced: Draft.optional(),
});
export type BuilderState = z.infer<typeof BuilderState>;

export type BuilderAction =
  | { do: "edit"; draft: Draft }
  | { do: "type"; text: string }
  /** `text` is the form as a sweep file. */
  | { do: "openYaml"; text: string }
  /** Updates the form from a changed text's plan; without a plan the state is unchanged. */
  | { do: "openForm"; plan: SweepPlan | undefined }
  /** Restores the form from before the text was changed. */
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

/** One storage key per URL: a form started from a sweep or preset does not overwrite what was typed in another. */
const storageKey = () => `arlarena.newSweep${window.location.search}`;

/** The builder's state, kept in this browser tab across reloads and other pages until the launch. */
export function useBuilder(start: SweepPlan | undefined): [BuilderState, Dispatch<BuilderAction>] {
  const [state, dispatch] = useReducer(reduceBuilder, start, initialState);
  const first = useRef(state);
  useEffect(() => {
    const stored = readStored();
    if (stored) dispatch({ do: "restore", state: stored });
  }, []);
  useEffect(() => {
    // An untouched initial state would overwrite the stored one before it is restored.
    if (state !== first.current) sessionStorage.setItem(storageKey(), JSON.stringify(state));
  }, [state]);
  return [state, dispatch];
}

export function forgetBuilder(): void {
  sessionStorage.removeItem(storageKey());
}

// State stored by an older version may not parse; then the form starts empty.
function readStored(): BuilderState | undefined {
  try {
    return BuilderState.parse(JSON.parse(sessionStorage.getItem(storageKey()) ?? ""));
  } catch {
    return undefined;
  }
}
