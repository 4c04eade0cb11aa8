import type { CurriculumSpec, EnvironmentSpec, SingleEnvironment } from "#trainer/spec/environment.ts";
import { partsOf } from "#trainer/spec/environmentParts.ts";
import type { Rng } from "#trainer/spec/rng.ts";
import type { Ending, Environment, Expertise, PastTurn, PromptInput } from "./environment.ts";
import {
  grammarWords,
  listWords,
  notesWord,
  remember,
  renderCompact,
  renderContinuation,
  renderFull,
  renderFullContinuation,
} from "./prompt.ts";
import type { Programs } from "./programs.ts";
import { formatResponse, type Projection } from "./response.ts";
import type { Scene } from "./scene.ts";

/** One immutable state of an episode. Several responses to the same state each give a new episode. */
export type Episode = {
  readonly observation: string;
  /** Observation without prompt or history, by which GiGPO groups turns. */
  readonly anchor: string;
  readonly turn: number;
  readonly ending: Ending;
  readonly isSuccess: boolean;
  /** Task type of the episode, one of the family's `taskTypes`; undefined if the family has no types. */
  readonly taskType: string | undefined;
  /** The environment's score so far in [0, 1]. Environments without a score of their own report success as 1 or 0. */
  readonly score: number;
  task(): string;
  admissibleActions(): readonly string[];
  /** Returns a small policy's prompt with up to `historyLength` earlier turns: vocabulary words, joined by spaces. */
  prompt(historyLength: number): string;
  /** Returns the words that this turn adds to a small policy's transcript. The first turn also adds the task. */
  continuation(): string;
  /** Returns the message that this turn adds to a large language model's conversation; first the full prompt. */
  fullContinuation(): string;
  /** Returns the prompt of a large language model, with up to `historyLength` earlier turns. */
  fullPrompt(historyLength: number): string;
  /** Executes one turn with a whole response as text, valid or not. Only an ongoing episode accepts a response. */
  respond(response: string): Turn;
  /** Returns the expert's response. `rng` chooses among equally good actions. `slip` replaces the action in it. */
  expertResponse(rng?: Rng, slip?: string): string;
  /** Returns the number of turns in a shortest solution from this state, if the environment can compute it. */
  optimalLength(): number | undefined;
  /** Returns the state for drawing; undefined for an environment that has only texts. */
  scene(): Scene | undefined;
};

/** Result of one response. `reward` is the environment's reward, before any penalty. */
type Turn = Projection & { episode: Episode; reward: number };

/** An environment, a mixture or a curriculum at one difficulty, independent of its type of state. */
export type TaskFamily = Pick<
  Environment<never>,
  "toWords" | "fromWords" | "taskTypes" | "rewardRange" | "maxTurns" | "shape"
> & {
  start(seed: number): Episode;
  /** Component environments of a mixture; undefined for a single environment. */
  readonly parts?: readonly Part[];
  /** Returns the component environment of a mixture to which the task of a seed belongs. */
  readonly partOf?: (seed: number) => Part;
  formatResponse(expertise: Expertise): string;
  /** Every word that small policies' prompts and the expert's responses can contain, without repetition. */
  readonly words: readonly string[];
  /** True if the environment has its own score of episodes besides success. */
  readonly hasScore: boolean;
  /** Maximum length of the expert's responses in words, each of which is one token of a small policy. */
  readonly maxResponseTokens: number;
  /** Returns the maximum length of a small policy's prompt in tokens. Each word is one token. */
  maxPromptTokens(historyLength: number): number;
  /** Returns the maximum length of a whole transcript in tokens, given the maximum length of a response. */
  maxTranscriptTokens(maxResponseTokens: number): number;
};

/** One component environment of a mixture. */
export type Part = { readonly name: string; readonly family: TaskFamily };

/** Returns the environment of the task with this seed. For a mixture this is one of its component environments. */
export function familyOf(family: TaskFamily, seed: number): TaskFamily {
  return family.partOf?.(seed).family ?? family;
}

/** Makes the task family of an environment, a mixture, or a curriculum's last phase, in which runs are evaluated. */
export async function makeTaskFamily(spec: EnvironmentSpec, programs?: Programs): Promise<TaskFamily> {
  if (spec.id !== "mixture" && spec.id !== "curriculum") return makeSingleFamily(spec, programs);
  if (spec.id === "curriculum") return makePhase(spec, spec.phases.length - 1, programs);
  const parts = partsOf(spec).map(async ({ name, environment }, i) => ({
    name,
    weight: spec.parts[i]?.weight ?? 1,
    family: await makeSingleFamily(environment, programs),
  }));
  return makeMixture(await Promise.all(parts));
}

export async function makePhase(spec: CurriculumSpec, index: number, programs?: Programs): Promise<TaskFamily> {
  const phase = partsOf(spec)[index];
  if (!phase) throw new RangeError(`environment.phases: there is no phase ${index + 1} of ${spec.phases.length}`);
  return makeMixture([{ name: phase.name, weight: 1, family: await makeSingleFamily(phase.environment, programs) }]);
}

type WeightedPart = Part & { weight: number };

/**
 * Combines several environments into a mixture. A task's seed alone determines its component environment, so that all
 * episodes of a group, evaluations and replays agree. A phase of a curriculum is a mixture with one component, which
 * has the phase's name.
 */
function makeMixture(parts: readonly WeightedPart[]): TaskFamily {
  const families = parts.map(({ family }) => family);
  const maxOf = (read: (family: TaskFamily) => number): number => Math.max(...families.map(read));
  const partOf = (seed: number): Part => pickPart(parts, seed);
  const { shape } = pickPart(parts, 0).family;
  return {
    parts,
    partOf,
    start: (seed) => partOf(seed).family.start(seed),
    toWords: refuse,
    fromWords: refuse,
    formatResponse: refuse,
    words: [...new Set(families.flatMap(({ words }) => words))],
    hasScore: families.some(({ hasScore }) => hasScore),
    maxResponseTokens: maxOf(({ maxResponseTokens }) => maxResponseTokens),
    maxPromptTokens: (historyLength) => maxOf((family) => family.maxPromptTokens(historyLength)),
    maxTranscriptTokens: (maxResponseTokens) => maxOf((family) => family.maxTranscriptTokens(maxResponseTokens)),
    taskTypes: [...new Set(families.flatMap(({ taskTypes }) => taskTypes))],
    rewardRange: [-maxOf(({ rewardRange }) => -rewardRange[0]), maxOf(({ rewardRange }) => rewardRange[1])],
    maxTurns: maxOf(({ maxTurns }) => maxTurns),
    shape,
  };
}

/** Throws an error, because a mixture has no texts of its own: they differ between its component environments. */
function refuse(): string {
  throw new Error("a mixture has no texts of its own: ask the family of a task's part");
}

/**
 * Chooses a seed's component environment by the fractional part of seed × golden ratio, a sequence of low
 * discrepancy. Random seeds therefore sample components at random, and the consecutive seeds of an evaluation contain
 * each component by its weight.
 */
function pickPart<Weighted extends WeightedPart>(parts: readonly Weighted[], seed: number): Weighted {
  const total = parts.reduce((sum, { weight }) => sum + weight, 0);
  const goldenRatio = (Math.sqrt(5) - 1) / 2;
  let rest = ((seed * goldenRatio) % 1) * total;
  for (const part of parts) {
    rest -= part.weight;
    if (rest < 0) return part;
  }
  const last = parts.at(-1);
  if (!last) throw new Error("a mixture has no parts");
  return last;
}

/** Makes the task family of one environment. `programs` runs the Python code of actions that are programs. */
async function makeSingleFamily(spec: SingleEnvironment, programs?: Programs): Promise<TaskFamily> {
  switch (spec.id) {
    case "sokoban":
      return toTaskFamily((await import("./sokoban/sokoban.ts")).makeSokoban(spec));
    case "alfworld":
      return toTaskFamily((await import("./alfworld/alfworld.ts")).makeAlfworld(spec));
    case "webshop":
      return toTaskFamily((await import("./webshop/webshop.ts")).makeWebShop(spec));
    case "tirMath":
      return toTaskFamily(
        (await import("./tirMath/tirMath.ts")).makeTirMath(spec, needPrograms(spec, programs).python),
      );
    case "sweGym":
      return toTaskFamily((await import("./sweGym/sweGym.ts")).makeSweGym(spec, needPrograms(spec, programs).python));
    case "textworld":
      return toTaskFamily((await import("./textworld/textworld.ts")).makeTextWorld(spec));
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
  // Converted texts are cached: they recur in the history, the group and the list of admissible actions.
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

/** Word that replaces anything outside the vocabulary in prompts. Every small policy's tokenizer has it. */
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
    scene: () => environment.scene?.(state),
  };
}

function formatterOf<State>(environment: Environment<State>): (expertise: Expertise) => string {
  return environment.formatResponse ?? formatResponse;
}
