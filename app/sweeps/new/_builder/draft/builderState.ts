import { useEffect, useReducer, useRef, type Dispatch } from "react";
import { z } from "zod";
import { emptyFile, type Part } from "./sweepFile.ts";

const Tree = z.record(z.string(), z.unknown());

/** The sweep at one moment, which both views show. */
const Moment = z.object({
  /** Contents of the sweep file, valid or not. */
  file: Tree,
  /** Text that was typed last as YAML; its comments and order stay when the form changes the file. */
  text: z.string(),
  /** True if the text is no YAML, so that the file is as it was before. */
  isBroken: z.boolean(),
  /** Settings of what is switched off, by the name of the switch. */
  aside: Tree,
});
type Moment = z.infer<typeof Moment>;

const Stored = z.object({ tab: z.enum(["form", "yaml"]), now: Moment });

/** Both views change `now`, and share one history. */
export type BuilderState = z.infer<typeof Stored> & {
  past: readonly Moment[];
  future: readonly Moment[];
  /** Time of the last change in milliseconds. Undo takes back changes in quick succession together. */
  changedMs: number;
};

export type BuilderAction =
  | { do: "edit"; file: Part; aside?: Part; atMs: number }
  /** Types in the YAML text; `file` is its contents, undefined if it is no YAML. */
  | { do: "type"; text: string; file: Part | undefined; atMs: number }
  /** Starts anew. `from`: state when the file was asked for; if the form has changed since, it stays. */
  | { do: "start"; file: Part; from?: Moment }
  /** Opens a view; text that is no YAML keeps its view. */
  | { do: "open"; tab: BuilderState["tab"] }
  | { do: "undo" }
  | { do: "redo" }
  | { do: "restore"; stored: z.infer<typeof Stored> };

export function initialState(file = emptyFile): BuilderState {
  const now = { file, text: "", isBroken: false, aside: {} };
  return { tab: "form", now, past: [], future: [], changedMs: 0 };
}

const maxMoments = 1000;
const quickMs = 700;

export function reduceBuilder(state: BuilderState, action: BuilderAction): BuilderState {
  const { now, past, future, changedMs } = state;
  const add = (changed: Moment, atMs = 0): BuilderState => {
    const isQuick = atMs > 0 && atMs - changedMs < quickMs;
    return {
      ...state,
      now: changed,
      past: isQuick ? past : [...past, now].slice(-maxMoments),
      future: [],
      changedMs: atMs,
    };
  };
  switch (action.do) {
    case "edit":
      return add({ ...now, file: { ...action.file }, aside: { ...(action.aside ?? now.aside) } }, action.atMs);
    case "type": {
      const { text, file } = action;
      return add({ ...now, text, file: file ? { ...file } : now.file, isBroken: file === undefined }, action.atMs);
    }
    case "start":
      if (action.from && action.from !== now) return state;
      return { ...add(initialState(action.file).now), tab: "form" };
    case "open":
      return now.isBroken ? state : { ...state, tab: action.tab, changedMs: 0 };
    case "undo": {
      const last = past.at(-1);
      return last ? show({ ...state, now: last, past: past.slice(0, -1), future: [now, ...future] }) : state;
    }
    case "redo": {
      const [next, ...rest] = future;
      return next ? show({ ...state, now: next, past: [...past, now], future: rest }) : state;
    }
    case "restore":
      return { ...state, ...action.stored };
  }
}

/** Shows the YAML text if it is broken, because the form cannot show it. The next change is a step of its own. */
function show(state: BuilderState): BuilderState {
  return { ...state, tab: state.now.isBroken ? "yaml" : state.tab, changedMs: 0 };
}

/** Key in the browser's storage, one per URL: a form started from a sweep or preset overwrites no other form. */
const storageKey = () => `arlarena.newSweep${window.location.search}`;

/** Keeps the state in the browser tab across reloads and visits to other pages until the launch. */
export function useBuilder(start: Part | undefined): [BuilderState, Dispatch<BuilderAction>] {
  const [state, dispatch] = useReducer(reduceBuilder, start, initialState);
  const first = useRef(state);
  useEffect(() => {
    const stored = readStored();
    if (stored) dispatch({ do: "restore", stored });
  }, []);
  useEffect(() => {
    // The initial state is not stored, because it would overwrite a stored state that has not been restored yet.
    if (state === first.current) return;
    const { tab, now } = state;
    sessionStorage.setItem(storageKey(), JSON.stringify({ tab, now }));
  }, [state]);
  return [state, dispatch];
}

export function forgetBuilder(): void {
  sessionStorage.removeItem(storageKey());
}

// Returns the stored state of the builder; undefined if there is none or it does not parse.
function readStored(): z.infer<typeof Stored> | undefined {
  try {
    return Stored.parse(JSON.parse(sessionStorage.getItem(storageKey()) ?? ""));
  } catch {
    return undefined;
  }
}
