import type { Rng } from "#trainer/spec/rng.ts";
import type { RolloutShape } from "#trainer/spec/run.ts";
import type { Scene } from "./scene.ts";
import type { Projection } from "./response.ts";

/**
 * `terminated`: the environment ended the episode (solved, lost, answered). `truncated`: the turn limit ended the
 * episode, so its last state still has value.
 */
export type Ending = "ongoing" | "terminated" | "truncated";

/** The expert's action, with its short thought before it. */
export type Expertise = { thought: string; action: string };

/** An observation and the action that followed it. */
export type PastTurn = { observation: string; action: string };

/** Everything that a prompt is rendered from. */
export type PromptInput = {
  task: string;
  observation: string;
  /** Every turn so far, oldest first. */
  past: readonly PastTurn[];
  /** Returns the actions possible now. A function, because the list is computed only when needed. */
  admissibleActions: () => readonly string[];
  /** Notes on all turns so far; undefined if the environment has no notes. */
  notes: () => string | undefined;
};

/**
 * One task family at one difficulty. Pure: all state is in `state`, all randomness comes from `seed`, so episodes can
 * be forked, replayed and tested.
 */
export interface Environment<State> {
  /** Starts an episode with a solvable, unsolved task of split `splitOf(seed)`. Equal seeds give equal tasks. */
  reset(seed: number): { state: State; observation: string };
  /** Executes one turn. `action` is the result of `project`; any other text is allowed, but has little effect. */
  step(state: State, action: string): { state: State; observation: string; reward: number; ending: Ending };
  /** Parses a response into the action to execute, and decides if format and action are valid. */
  project(state: State, response: string): Projection;
  admissibleActions(state: State): readonly string[];
  /**
   * Returns a good action given the observations so far, which `state` contains. In fully visible environments it is
   * the first move of a shortest solution. `rng` chooses among equally good actions.
   */
  expert(state: State, rng?: Rng): Expertise;
  /** Formats the expert's whole response. The default is one thought and one action in their tags. */
  readonly formatResponse?: (expertise: Expertise) => string;
  /** The goal in words, the same in every turn of an episode. */
  task(state: State): string;
  /** Returns the observation without prompt, task or history. GiGPO groups turns by equal anchors (equal states). */
  anchor(state: State): string;
  /** True if the task is solved. Valid only for a terminated state. */
  isSuccess(state: State): boolean;
  /**
   * Notes on all turns so far, in the words of a prompt, because a small policy sees only a few turns. The notes
   * contain nothing that earlier turns have not shown. Only windowed compact prompts include notes.
   */
  notes?(state: State): string;
  /** Returns the episode's task type, one of `taskTypes`. The papers' tables report each type in a column. */
  taskType?(state: State): string;
  /** Returns the environment's own score so far in [0, 1], if it is finer than success. */
  score?(state: State): number;
  /** Returns the state as pages draw it, without parts that the policy was not shown. Absent if there is only text. */
  scene?(state: State): Scene;
  /** Returns the turns of a shortest solution with full knowledge of the state, if that is cheap to compute. */
  optimalLength?(state: State): number | undefined;
  /**
   * Converts any text of the environment or its expert into words joined by single spaces. A line break becomes the
   * word `<nl>`. No word contains white space.
   */
  readonly toWords: (text: string) => string;
  /** The inverse of `toWords`. Any words are accepted, known or not. */
  readonly fromWords: (words: string) => string;
  /** Renders the whole prompt of a large language model, if the original prompt differs from verl-agent's. */
  renderFull?(input: PromptInput, historyLength: number): string;
  /** Names of the task types; empty if all tasks are of one kind. */
  readonly taskTypes: readonly string[];
  /** Role and rules for a large language model, which begin the full prompt. */
  readonly instruction: string;
  /** Every word that can occur in tasks, observations, actions and the expert's responses. */
  readonly words: readonly string[];
  /** Maximum length of each kind of text, in words. */
  readonly maxWords: {
    readonly task: number;
    readonly observation: number;
    readonly action: number;
    /** Length of the expert's whole response, without the end token. */
    readonly response: number;
    /** Length of the list of admissible actions, separators included; 0 if the prompt has no such list. */
    readonly admissible: number;
    /** Length of the notes; undefined if the environment has no notes. */
    readonly notes?: number;
  };
  readonly rewardRange: readonly [number, number];
  readonly maxTurns: number;
  /** Rollout shape (windowed or transcript) in the environment's paper. */
  readonly shape: RolloutShape;
}

/** Error thrown if the generator finds no task with the environment's settings. The message names the settings. */
export class NoTask extends Error {
  override name = "NoTask";
}
