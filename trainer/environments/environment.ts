import type { Rng } from "#trainer/spec/rng.ts";
import type { Projection } from "./response.ts";

/** `terminated` is the environment's own end (solved); `truncated` is the turn limit, and the future still has value. */
export type Ending = "ongoing" | "terminated" | "truncated";

/** What the expert would do, with the few words it thinks before it acts. */
export type Expertise = { thought: string; action: string };

/**
 * What is acted on, one task family at one difficulty. Pure: all state is in `state`, all chance is in `seed`, so
 * episodes fork, replay and test for free.
 */
export interface Environment<State> {
  /** A solvable, not yet solved task. Equal seeds give equal tasks. */
  reset(seed: number): { state: State; observation: string };
  /** One turn. `action` is what `project` found in a response; any other text is allowed and does little. */
  step(state: State, action: string): { state: State; observation: string; reward: number; ending: Ending };
  /** What a response amounts to here: the action to execute, and whether format and action are valid. */
  project(state: State, response: string): Projection;
  admissibleActions(state: State): readonly string[];
  /** The first move of a shortest solution; `rng` chooses among equally short ones. */
  expert(state: State, rng?: Rng): Expertise;
  /** The goal in words; the same in every turn of an episode. */
  task(state: State): string;
  /** The raw observation without prompt, task or history: equal anchors are equal states (GiGPO groups by it). */
  anchor(state: State): string;
  isSuccess(state: State): boolean;
  /** Turns of a shortest solution, where the environment can tell. */
  optimalLength?(state: State): number | undefined;
  /** An observation as space-separated words, each of which is in `words`. */
  toWords(observation: string): string;
  /** Role and rules for a large language model, the first lines of the full prompt. */
  readonly instruction: string;
  /** Every word that tasks, observations, actions and the expert's thoughts can print. */
  readonly words: readonly string[];
  /** Upper bounds in words. */
  readonly maxWords: { readonly task: number; readonly observation: number; readonly action: number };
  /** Bounds of one turn's reward. */
  readonly rewardRange: readonly [number, number];
}
