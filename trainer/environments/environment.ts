import type { Rng } from "#trainer/spec/rng.ts";
import type { RolloutShape } from "#trainer/spec/run.ts";
import type { Projection } from "./response.ts";

/**
 * `terminated` is the environment's end (solved, lost, answered); `truncated` is the turn limit, and the future
 * still has value.
 */
export type Ending = "ongoing" | "terminated" | "truncated";

/** What the expert would do, with the few words it thinks before it acts. */
export type Expertise = { thought: string; action: string };

/** An observation and the action that answered it. */
export type PastTurn = { observation: string; action: string };

/** What a prompt is made of. */
export type PromptInput = {
  task: string;
  observation: string;
  /** Every turn so far, oldest first. */
  past: readonly PastTurn[];
  /** Computed when asked for. */
  admissibleActions: () => readonly string[];
  /** Of all turns so far; undefined where an environment takes none. */
  notes: () => string | undefined;
};

/**
 * What is acted on, one task family at one difficulty. Pure: all state is in `state`, all chance is in `seed`, so
 * episodes fork, replay and test for free.
 */
export interface Environment<State> {
  /** A solvable, not yet solved task. Equal seeds give equal tasks; `splitOf(seed)` says which split it is of. */
  reset(seed: number): { state: State; observation: string };
  /** One turn. `action` is what `project` found in a response; any other text is allowed and does little. */
  step(state: State, action: string): { state: State; observation: string; reward: number; ending: Ending };
  /** What a response amounts to here: the action to execute, and whether format and action are valid. */
  project(state: State, response: string): Projection;
  admissibleActions(state: State): readonly string[];
  /**
   * A good action by what has been observed so far, which `state` remembers; where everything is visible the first move
   * of a shortest solution. `rng` chooses among equally good ones.
   */
  expert(state: State, rng?: Rng): Expertise;
  /** The expert's whole response; one thought and one action in their tags unless the environment has another format. */
  readonly formatResponse?: (expertise: Expertise) => string;
  /** The goal in words; the same in every turn of an episode. */
  task(state: State): string;
  /** The raw observation without prompt, task or history: equal anchors are equal states (GiGPO groups by it). */
  anchor(state: State): string;
  /** Only in a terminated state. */
  isSuccess(state: State): boolean;
  /**
   * What is remembered of all turns so far, in the words of a prompt: a small policy sees a few turns only. Nothing but
   * what those turns have shown. Part of windowed compact prompts alone.
   */
  notes?(state: State): string;
  /** One of `taskTypes`: the papers' sub-task column. */
  taskType?(state: State): string;
  /** The native score so far in [0, 1], where it says more than success. */
  score?(state: State): number;
  /** Turns of a shortest solution with everything known, where the environment can tell cheaply. */
  optimalLength?(state: State): number | undefined;
  /**
   * Any text that the environment or its expert can print as words joined by single spaces. A line break is the word
   * `<nl>`; no word has white space.
   */
  readonly toWords: (text: string) => string;
  /** The inverse of `toWords`, and total: any words are accepted, known or not. */
  readonly fromWords: (words: string) => string;
  /** The whole prompt of a large language model, where the original's is not verl-agent's. */
  renderFull?(input: PromptInput, historyLength: number): string;
  /** Empty where tasks are of one kind. */
  readonly taskTypes: readonly string[];
  /** Role and rules for a large language model, the first lines of the full prompt. */
  readonly instruction: string;
  /** Every word that tasks, observations, actions and the expert's responses can print. */
  readonly words: readonly string[];
  /** Upper bounds in words. */
  readonly maxWords: {
    readonly task: number;
    readonly observation: number;
    readonly action: number;
    /** Of the expert's whole response, without the end token. */
    readonly response: number;
    /** Of the list of admissible actions, separators included; 0 where it is not shown. */
    readonly admissible: number;
    /** Of the notes, where there are any. */
    readonly notes?: number;
  };
  /** Bounds of one turn's reward. */
  readonly rewardRange: readonly [number, number];
  readonly maxTurns: number;
  /** As the environment's paper has it. */
  readonly shape: RolloutShape;
}
