import type { EnvironmentSpec } from "#trainer/spec/environment.ts";
import type { Rng } from "#trainer/spec/rng.ts";
import type { Ending, Environment, Expertise, PastTurn, PromptInput } from "./environment.ts";
import {
  grammarWords,
  listWords,
  notesWord,
  renderCompact,
  renderContinuation,
  renderFull,
  renderFullContinuation,
} from "./prompt.ts";
import type { Programs } from "./programs.ts";
import { remember } from "./remember.ts";
import { formatResponse, type Projection } from "./response.ts";

/** One moment of one life in an environment. Immutable: a moment can be answered many times, each answer is a fork. */
export type Episode = {
  readonly observation: string;
  /** The raw observation that GiGPO groups by. */
  readonly anchor: string;
  /** Turns taken so far. */
  readonly turn: number;
  readonly ending: Ending;
  readonly isSuccess: boolean;
  /** One of the family's task types, where it has any. */
  readonly taskType: string | undefined;
  /** The native score so far in [0, 1]; success as 1 or 0 where the environment has no other. */
  readonly score: number;
  /** The goal in words. */
  task(): string;
  admissibleActions(): readonly string[];
  /** The prompt of a small policy: space-separated words of the family's vocabulary. */
  prompt(historyLength: number): string;
  /** What this moment adds to a growing transcript, as such words: the task first, then observation after observation. */
  continuation(): string;
  /** What this moment adds to a conversation with a large language model, in prose; its first message is the full prompt. */
  fullContinuation(): string;
  /** The prompt of a large language model, in prose. */
  fullPrompt(historyLength: number): string;
  /** One turn with a whole response as text, valid or not. Only an ongoing episode can be answered. */
  respond(response: string): Turn;
  /** The expert's whole response; `rng` chooses among equally good ones. With `slip` it thinks right and acts so. */
  expertResponse(rng?: Rng, slip?: string): string;
  /** Turns of a shortest solution from here, where the environment can tell. */
  optimalLength(): number | undefined;
};

/** What one response led to. `reward` is the environment's, before any penalty. */
type Turn = Projection & { episode: Episode; reward: number };

/** A task family at one difficulty, as the trainer sees it: without its type of state. */
export type TaskFamily = Pick<
  Environment<never>,
  "toWords" | "fromWords" | "taskTypes" | "rewardRange" | "maxTurns" | "shape"
> & {
  start(seed: number): Episode;
  /** A whole response in the one valid format. */
  formatResponse(expertise: Expertise): string;
  /** Every word that compact prompts and the expert's responses can contain, without repetition. */
  readonly words: readonly string[];
  /** Whether episodes have a native score beside their success. */
  readonly hasScore: boolean;
  /** Of the expert's responses, in words. */
  readonly maxResponseTokens: number;
  /** Upper bound of a compact prompt's length in words, which are tokens. */
  maxPromptTokens(historyLength: number): number;
  /** Upper bound of a whole transcript, with responses of at most so many tokens. */
  maxTranscriptTokens(maxResponseTokens: number): number;
};

/** Loads what the environment needs. `programs` runs those of actions, where actions are programs or change some. */
export async function makeTaskFamily(spec: EnvironmentSpec, programs?: Programs): Promise<TaskFamily> {
  switch (spec.id) {
    case "sokoban": {
      const { makeSokoban } = await import("./sokoban/sokoban.ts");
      return toTaskFamily(makeSokoban(spec));
    }
    case "alfworld": {
      const { makeAlfworld } = await import("./alfworld/alfworld.ts");
      return toTaskFamily(makeAlfworld(spec));
    }
    case "webshop": {
      const { makeWebShop } = await import("./webshop/webshop.ts");
      return toTaskFamily(makeWebShop(spec));
    }
    case "tirMath": {
      const { makeTirMath } = await import("./tirMath/tirMath.ts");
      return toTaskFamily(makeTirMath(spec, needPrograms(spec, programs).python));
    }
    case "sweGym": {
      const { makeSweGym } = await import("./sweGym/sweGym.ts");
      return toTaskFamily(makeSweGym(spec, needPrograms(spec, programs).python));
    }
    case "textworld": {
      const { makeTextWorld } = await import("./textworld/textworld.ts");
      return toTaskFamily(makeTextWorld(spec));
    }
    case "custom":
      throw new Error(`${spec.title} is a task of an external trainer: there is nothing of it to play here`);
  }
}

function needPrograms({ id }: EnvironmentSpec, programs: Programs | undefined): Programs {
  if (programs === undefined) throw new Error(`${id} needs something that runs Python`);
  return programs;
}

export function toTaskFamily<State>(environment: Environment<State>): TaskFamily {
  const { words, maxWords, taskTypes, rewardRange, maxTurns, shape } = environment;
  const listed = maxWords.admissible > 0;
  const noted = environment.notes !== undefined;
  const vocabulary = new Set([...grammarWords, ...(listed ? listWords : []), ...(noted ? [notesWord] : []), ...words]);
  // Observations and commands come again and again: in the history, in the group, in the list of what can be done.
  const toWords = remember(environment.toWords);
  const toActionWords = remember((action: string): string =>
    toWords(action)
      .split(" ")
      .slice(0, maxWords.action)
      .map((word) => (word === "" || vocabulary.has(word) ? word : unknownWord))
      .join(" "),
  );
  const worded = { ...environment, toWords, toActionWords };
  const moment = 1 + maxWords.observation + (listed ? 1 + maxWords.admissible : 0);
  return {
    start: (seed) => toEpisode(worded, { ...environment.reset(seed), ending: "ongoing", past: [] }),
    toWords,
    fromWords: (text) => environment.fromWords(text),
    formatResponse: formatterOf(environment),
    words: [...vocabulary],
    maxResponseTokens: maxWords.response,
    maxPromptTokens: (historyLength) =>
      1 +
      maxWords.task +
      (noted ? 1 + (maxWords.notes ?? 0) : 0) +
      moment +
      historyLength * (2 + maxWords.observation + maxWords.action),
    maxTranscriptTokens: (maxResponseTokens) => 1 + maxWords.task + maxTurns * (moment + maxResponseTokens),
    hasScore: environment.score !== undefined,
    taskTypes,
    rewardRange,
    maxTurns,
    shape,
  };
}

type Moment<State> = { state: State; observation: string; ending: Ending; past: readonly PastTurn[] };

/** What a prompt shows of a word that is not in the vocabulary; every tokenizer has it. */
export const unknownWord = "<unk>";

type Worded<State> = Environment<State> & { toActionWords: (action: string) => string };

function toEpisode<State>(environment: Worded<State>, moment: Moment<State>): Episode {
  const { state, observation, ending, past } = moment;
  const isSuccess = environment.isSuccess(state);
  const admissibleActions = (): readonly string[] => environment.admissibleActions(state);
  const notes = (): string | undefined => environment.notes?.(state);
  const input = (): PromptInput => ({ task: environment.task(state), observation, past, admissibleActions, notes });
  return {
    observation,
    anchor: environment.anchor(state),
    turn: past.length,
    ending,
    isSuccess,
    taskType: environment.taskType?.(state),
    score: environment.score?.(state) ?? (isSuccess ? 1 : 0),
    task: () => environment.task(state),
    admissibleActions,
    prompt: (historyLength) => renderCompact(environment, input(), historyLength),
    continuation: () => renderContinuation(environment, input()),
    fullContinuation: () => renderFullContinuation(environment, input()),
    fullPrompt: (historyLength) =>
      environment.renderFull?.(input(), historyLength) ?? renderFull(environment, input(), historyLength),
    respond: (response) => {
      if (ending !== "ongoing") throw new Error(`the episode is over (${ending} after ${past.length} turns)`);
      const projection = environment.project(state, response);
      const { reward, ...next } = environment.step(state, projection.action);
      const answered = { observation, action: projection.action };
      return { ...projection, reward, episode: toEpisode(environment, { ...next, past: [...past, answered] }) };
    },
    expertResponse: (rng, slip) => {
      const { thought, action } = environment.expert(state, rng);
      return formatterOf(environment)({ thought, action: slip ?? action });
    },
    optimalLength: () => environment.optimalLength?.(state),
  };
}

function formatterOf<State>(environment: Environment<State>): (expertise: Expertise) => string {
  return environment.formatResponse ?? formatResponse;
}
