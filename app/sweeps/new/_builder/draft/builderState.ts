"use client";

import { type Dispatch, useEffect, useReducer, useRef } from "react";
import { z } from "zod";
import { draftEnvironment } from "#app/_components/episode/environmentDraft.ts";
import { separate } from "#server/domain/plan/sweep/plannedEnvironment.ts";
import type { SweepPlan } from "#server/domain/plan/sweep/schema.ts";
import { TrainerChoice } from "#trainer/spec/run.ts";
import { draftCorrection } from "./correctionDraft.ts";
import { type DimensionId, Draft, emptyDraft, type LevelDraft } from "./draft.ts";
import { fieldAt } from "./fields.ts";
import { draftLevel } from "./levels.ts";
import { modelPath } from "./policyDraft.ts";
import { draftSearch, textsOf } from "./searchDraft.ts";
import { formatList, formatSeeds } from "./texts.ts";

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

/** Converts a plan to a form. `checkDraft(fromPlan(plan))` is the same sweep. */
export function fromPlan(plan: SweepPlan): Draft {
  const { name, description, methods, grid = {}, environments, base, axes, seeds, placement } = plan;
  const { when, exclude, distributions, sample, search, stopping } = plan;
  const { trainer, ...settings } = base;
  const hasRules = sample !== undefined || exclude.length + Object.keys({ ...when, ...distributions }).length > 0;
  const levels = (dimension: DimensionId): LevelDraft[] =>
    (grid[dimension] ?? []).map((level) => draftLevel(dimension, level));
  return {
    name,
    description,
    methods,
    grid: {
      aggregation: levels("aggregation"),
      clipping: levels("clipping"),
      advantage: levels("advantage"),
      sampling: levels("sampling"),
      correction: (grid.correction ?? []).map((one) => one && draftCorrection(one)),
    },
    environments: environments.map((environment) => {
      const { task, attached } = separate(environment);
      return { ...draftEnvironment(task), ...(Object.keys(attached).length > 0 && { attached }) };
    }),
    // An axis hides the base value of its path, as in the expansion.
    values: {
      ...flatten(settings),
      ...Object.fromEntries(Object.entries(axes).map(([path, all]) => [path, formatList(all)])),
    },
    seeds: formatSeeds(seeds),
    ...((settings.policy?.pretrained !== undefined || axes[modelPath] !== undefined) && {
      policy: { kind: "pretrained" as const, aside: {} },
    }),
    plan: { ...(stopping && writePart("stopping", stopping)), ...(placement && writePart("placement", placement)) },
    ...(search && { search: draftSearch(search) }),
    ...(trainer && { trainer: TrainerChoice.parse(trainer) }),
    ...(hasRules && { rules: { when, exclude, distributions, ...(sample && { sample }) } }),
  };
}

function writePart(part: string, value: object): Record<string, string> {
  return Object.fromEntries(Object.entries(textsOf(part, value)).map(([name, text]) => [`${part}.${name}`, text]));
}

function flatten(value: unknown, prefix = ""): Record<string, string> {
  // An absent part has no fields; a nullable field that is null is "off".
  if (value === undefined || (value === null && !fieldAt(prefix)?.isNullable)) return {};
  if (typeof value !== "object" || value === null) return { [prefix]: formatList([value]) };
  const parts = Object.entries(value).map(([key, child]) => flatten(child, prefix === "" ? key : `${prefix}.${key}`));
  return Object.assign({}, ...parts);
}
