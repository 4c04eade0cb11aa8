"use client";
import { useEffect, useReducer, useRef, type Dispatch } from "react";
import type { SweepPlan } from "#server/domain/sweep/schema.ts";
import { BuilderState, initialState, reduceBuilder, type BuilderAction } from "./builderState.ts";

/** A form for each address: one that starts from a sweep or preset neither overwrites nor loses what was typed in another. */
const storageKey = () => `arlarena.newSweep${window.location.search}`;

/** The builder's state, kept in this browser tab across reloads and visits of other pages until it is launched. */
export function useBuilder(start: SweepPlan | undefined): [BuilderState, Dispatch<BuilderAction>] {
  const [state, dispatch] = useReducer(reduceBuilder, start, initialState);
  const first = useRef(state);
  useEffect(() => {
    const stored = readStored();
    if (stored) dispatch({ do: "restore", state: stored });
  }, []);
  useEffect(() => {
    // What nobody touched would overwrite what is about to be restored.
    if (state !== first.current) sessionStorage.setItem(storageKey(), JSON.stringify(state));
  }, [state]);
  return [state, dispatch];
}

export function forgetBuilder(): void {
  sessionStorage.removeItem(storageKey());
}

// What an older version stored may not fit any more; then the form starts empty.
function readStored(): BuilderState | undefined {
  try {
    return BuilderState.parse(JSON.parse(sessionStorage.getItem(storageKey()) ?? ""));
  } catch {
    return undefined;
  }
}
