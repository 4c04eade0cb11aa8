"use client";
import { useEffect, useReducer, useRef, type Dispatch } from "react";
import type { SweepPlan } from "#server/domain/plan/sweep/schema.ts";
import { BuilderState, initialState, reduceBuilder, type BuilderAction } from "./builderState.ts";

/** One storage key per address: a form started from a sweep or preset does not overwrite what was typed in another. */
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
