import type { Rng } from "#trainer/spec/rng.ts";
import type { RolloutShape } from "#trainer/spec/run.ts";
import type { Scene } from "./scene.ts";
import type { Projection } from "./response.ts";

/**
 * State of an episode. `terminated`: the environment ended the episode (solved, lost, answered). `truncated`: the
 * turn limit ended the episode, so its last state still has value.
 */
export type Ending = "ongoing" | "terminated" | "truncated";

/** The expert's action, with the short thought that precedes it in the response. */
export type Expertise = { thought: string; action: string };

export type PastTurn = { observation: string; action: string };

export type PromptInput = {
  task: string;
  observation: string;
  /** All earlier turns of the episode, oldest first. */
  past: readonly PastTurn[];
  /** Returns the actions possible in this state. It is a function, because the list is computed only when needed. */
  admissibleActions: () => readonly string[];
  /** Returns notes on all turns so far; undefined if the environment has no notes. */
  notes: () => string | undefined;
};

/** One environment at one difficulty, as pure functions: all state is in `state`, all randomness comes from `seed`. */
export interface Environment<State> {
  /** Starts an episode: a solvable, unsolved task of the split `splitOf(seed)`. Equal seeds give equal tasks. */
  reset(seed: number): { state: State; observation: string };
  /** Executes one turn. `action` is normally the result of `project`; another text is allowed, with little effect. */
  step(state: State, action: string): { state: State; observation: string; reward: number; ending: Ending };
  /** Parses a response into the action to execute, and decides if format and action are valid. */
  project(state: State, response: string): Projection;
  admissibleActions(state: State): readonly string[];
  /**
   * Returns a good action given the observations so far, which `state` contains. In fully visible environments it is
   * the first move of a shortest solution. `rng` chooses among equally good actions.
   */
  expert(state: State, rng?: Rng): Expertise;
  /** Formats the expert's whole response. The default is one thought and one action, each in its tags. */
  readonly formatResponse?: (expertise: Expertise) => string;
  /** Returns the goal in words, which is the same in every turn of an episode. */
  task(state: State): string;
  /** Returns the observation without prompt, task or history. GiGPO groups turns whose anchors are equal. */
  anchor(state: State): string;
  /** True if the task is solved. The result is valid only for a terminated state. */
  isSuccess(state: State): boolean;
  /**
   * Returns notes on all turns so far, in words for the prompt of a small policy, which shows only the last turns.
   * The notes contain only facts that earlier turns have shown. Only prompts in windowed form include notes.
   */
  notes?(state: State): string;
  /** Returns the episode's task type, one of `taskTypes`. Papers report success by task type. */
  taskType?(state: State): string;
  /** Returns the environment's own score so far in [0, 1]; absent if there is none besides success. */
  score?(state: State): number;
  /** Returns the state for drawing, without parts that the policy was not shown. Absent if there is only text. */
  scene?(state: State): Scene;
  /** Returns the number of turns in a shortest solution, given full knowledge, if that is cheap to compute. */
  optimalLength?(state: State): number | undefined;
  /**
   * Converts any text of the environment or its expert into a small policy's words, joined by single spaces. A line
   * break becomes the word `<nl>` or is left out. No word contains white space.
   */
  readonly toWords: (text: string) => string;
  /** Inverts `toWords`. Any words are accepted, even outside the vocabulary. */
  readonly fromWords: (words: string) => string;
  /** Renders the whole prompt of a large language model; absent if the prompt follows verl-agent's template. */
  renderFull?(input: PromptInput, historyLength: number): string;
  /** Names of the task types; empty if all tasks are of one kind. */
  readonly taskTypes: readonly string[];
  /** Role and rules with which the full prompt of a large language model begins. */
  readonly instruction: string;
  /** Vocabulary of small policies: all words of tasks, observations, actions and the expert's responses. */
  readonly words: readonly string[];
  /** Maximum length of each kind of text in words of a small policy. */
  readonly maxWords: {
    readonly task: number;
    readonly observation: number;
    readonly action: number;
    /** Maximum length of the expert's whole response, without the end token. */
    readonly response: number;
    /** Maximum length of the list of admissible actions, separators included; 0 if the prompt has no such list. */
    readonly admissible: number;
    /** Maximum length of the notes; undefined if the environment has no notes. */
    readonly notes?: number;
  };
  readonly rewardRange: readonly [number, number];
  readonly maxTurns: number;
  /** Prompt form (windowed or transcript) that the environment's paper uses. */
  readonly shape: RolloutShape;
}

/** Error thrown if the generator finds no task with the environment's settings. The message names the settings. */
export class NoTask extends Error {
  override name = "NoTask";
}
