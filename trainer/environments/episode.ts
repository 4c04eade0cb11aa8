import type { EnvironmentSpec } from "#trainer/spec/environment.ts";
import type { Rng } from "#trainer/spec/rng.ts";
import type { Ending, Environment } from "./environment.ts";
import { grammarWords, renderCompact, renderFull, type PastTurn } from "./prompt.ts";
import { formatResponse, type Projection } from "./response.ts";
import { makeSokoban } from "./sokoban/sokoban.ts";

/** One moment of one life in an environment. Immutable: a moment can be answered many times, each answer is a fork. */
export type Episode = {
  readonly observation: string;
  /** The raw observation that GiGPO groups by. */
  readonly anchor: string;
  /** Turns taken so far. */
  readonly turn: number;
  readonly ending: Ending;
  readonly isSuccess: boolean;
  readonly admissibleActions: readonly string[];
  /** The prompt of a small policy: space-separated words of the family's vocabulary. */
  prompt(historyLength: number): string;
  /** The prompt of a large language model, in prose. */
  fullPrompt(historyLength: number): string;
  /** One turn with a whole response, valid or not. Only an ongoing episode can be answered. */
  respond(response: string): Turn;
  /** The expert's whole response; `rng` chooses among equally good ones. With `slip` it thinks right and acts so. */
  expertResponse(rng?: Rng, slip?: string): string;
  /** Turns of a shortest solution from here, where the environment can tell. */
  optimalLength(): number | undefined;
};

/** What one response led to. `reward` is the environment's own, before any penalty. */
type Turn = Projection & { episode: Episode; reward: number };

/** A task family at one difficulty, as the trainer sees it: without its type of state. */
export type TaskFamily = {
  start(seed: number): Episode;
  /** Every word that compact prompts and the expert's responses can contain, without repetition. */
  readonly words: readonly string[];
  /** Upper bound of a compact prompt's length in words, which are tokens. */
  maxPromptTokens(historyLength: number): number;
  readonly rewardRange: readonly [number, number];
};

export function makeTaskFamily(spec: EnvironmentSpec): TaskFamily {
  switch (spec.id) {
    case "sokoban":
      return toTaskFamily(makeSokoban(spec));
  }
}

export function startEpisode(spec: EnvironmentSpec, seed: number): Episode {
  return makeTaskFamily(spec).start(seed);
}

export function toTaskFamily<State>(environment: Environment<State>): TaskFamily {
  const { words, maxWords, rewardRange } = environment;
  return {
    start: (seed) => toEpisode(environment, { ...environment.reset(seed), ending: "ongoing", past: [] }),
    words: [...new Set([...grammarWords, ...words])],
    maxPromptTokens: (historyLength) =>
      2 + maxWords.task + maxWords.observation + historyLength * (2 + maxWords.observation + maxWords.action),
    rewardRange,
  };
}

type Moment<State> = { state: State; observation: string; ending: Ending; past: readonly PastTurn[] };

function toEpisode<State>(environment: Environment<State>, moment: Moment<State>): Episode {
  const { state, observation, ending, past } = moment;
  const admissibleActions = environment.admissibleActions(state);
  const input = { task: environment.task(state), observation, past, admissibleActions };
  return {
    observation,
    anchor: environment.anchor(state),
    turn: past.length,
    ending,
    isSuccess: environment.isSuccess(state),
    admissibleActions,
    prompt: (historyLength) => renderCompact(environment, input, historyLength),
    fullPrompt: (historyLength) => renderFull(environment, input, historyLength),
    respond: (response) => {
      if (ending !== "ongoing") throw new Error(`the episode is over (${ending} after ${past.length} turns)`);
      const projection = environment.project(state, response);
      const { reward, ...next } = environment.step(state, projection.action);
      const answered = { observation, action: projection.action };
      return { ...projection, reward, episode: toEpisode(environment, { ...next, past: [...past, answered] }) };
    },
    expertResponse: (rng, slip) => {
      const { thought, action } = environment.expert(state, rng);
      return formatResponse({ thought, action: slip ?? action });
    },
    optimalLength: () => environment.optimalLength?.(state),
  };
}
