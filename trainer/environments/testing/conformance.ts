import { split } from "#trainer/spec/rng.ts";
import type { Environment } from "../environment.ts";
import { toTaskFamily, unknownWord, type Episode } from "../episode.ts";
import { formatResponse } from "../response.ts";

/**
 * Checks that an environment keeps its contract on the tasks of `seeds`. Returns one sentence per violation. Each
 * task is played twice: by the expert, and by random responses that include invalid actions.
 */
export function findViolations<State>(environment: Environment<State>, seeds: readonly number[]): readonly string[] {
  return seeds.flatMap((seed) =>
    [
      ...violationsOfReset(environment, seed),
      ...violationsOfLife(environment, seed, (episode) => episode.expertResponse()),
      ...violationsOfLife(environment, seed, ramble(seed, environment.formatResponse ?? formatResponse)),
      ...violationsOfExpert(environment, seed),
    ].map((violation) => `seed ${seed}: ${violation}`),
  );
}

function violationsOfReset<State>(environment: Environment<State>, seed: number): readonly string[] {
  const [{ state, observation }, again] = [environment.reset(seed), environment.reset(seed)];
  const { taskTypes } = environment;
  const taskType = environment.taskType?.(state);
  const task = environment.task(state);
  return unless({
    "a task is of a known type": taskType === undefined ? taskTypes.length === 0 : taskTypes.includes(taskType),
    "task and observation survive as words": [task, observation].every((text) => survives(environment, text)),
    "the task is within its bound": countWords(environment.toWords(task)) <= environment.maxWords.task,
    "reset repeats itself": JSON.stringify({ state, observation }) === JSON.stringify(again),
    "a new task is not yet solved": !environment.isSuccess(state),
    "a new task has something to do": environment.admissibleActions(state).length > 0,
  });
}

type Answer = (episode: Episode) => string;

function survives(environment: Pick<Environment<never>, "toWords" | "fromWords">, text: string): boolean {
  return environment.fromWords(environment.toWords(text)) === text;
}

function countWords(words: string): number {
  return words === "" ? 0 : words.split(" ").length;
}

/** Returns a function that samples a response from seed and turn alone, so that the same episode can be repeated. */
function ramble(seed: number, format: typeof formatResponse): Answer {
  const noise = ["", "look", "<action>", "<think> </think> <action> fly </action>", "<action> still </action>"];
  return (episode) => {
    const rng = split(seed, "conformance", episode.turn);
    const formatted = episode.admissibleActions().map((action) => format({ thought: "", action }));
    const choices = [...formatted, ...formatted, ...noise];
    return choices[rng.int(choices.length)] ?? "";
  };
}

function violationsOfLife<State>(environment: Environment<State>, seed: number, answer: Answer): readonly string[] {
  const family = toTaskFamily({
    ...environment,
    // States are frozen, so that a step that mutates its input throws.
    step: (state, action) => environment.step(freeze(state), action),
  });
  const vocabulary = new Set(family.words);
  const [lowest, highest] = family.rewardRange;
  const violations: string[] = [];
  let [episode, twin] = [family.start(seed), family.start(seed)];
  let transcript = 0;
  while (episode.ending === "ongoing") {
    const response = answer(episode);
    const prompts = [0, 1, 2].map((historyLength) => episode.prompt(historyLength).split(" "));
    transcript += countWords(episode.continuation()) + countWords(environment.toWords(response));
    const [turn, twinTurn] = [episode.respond(response), twin.respond(response)];
    violations.push(
      ...unless({
        "the prompt is made of known words": prompts.every((words) =>
          words.every((word) => word === unknownWord || vocabulary.has(word)),
        ),
        "the prompt is within its bound": prompts.every((words, k) => words.length <= family.maxPromptTokens(k)),
        "the reward is within its bounds": turn.reward >= lowest - 1e-9 && turn.reward <= highest + 1e-9,
        "equal responses lead to equal moments":
          turn.reward === twinTurn.reward && turn.episode.prompt(9) === twinTurn.episode.prompt(9),
        "a turn is counted": turn.episode.turn === episode.turn + 1,
        "an invalid format makes an invalid action": turn.isFormatValid || !turn.isActionValid,
        "only an ended episode is a success": !turn.episode.isSuccess || turn.episode.ending === "terminated",
        "the score is within 0 and 1": turn.episode.score >= 0 && turn.episode.score <= 1,
        "an observation survives as words": survives(environment, turn.episode.observation),
        "an episode ends within its turns": turn.episode.turn < family.maxTurns || turn.episode.ending !== "ongoing",
      }),
    );
    [episode, twin] = [turn.episode, twinTurn.episode];
  }
  // A random response can be longer than the expert's by up to eight words, the longest noise.
  const bound = family.maxTranscriptTokens(family.maxResponseTokens + 8);
  return [...violations, ...unless({ "the transcript is within its bound": transcript <= bound })];
}

function violationsOfExpert<State>(environment: Environment<State>, seed: number): readonly string[] {
  const family = toTaskFamily(environment);
  const vocabulary = new Set(family.words);
  const violations: string[] = [];
  let episode = family.start(seed);
  const optimalLength = episode.optimalLength();
  while (episode.ending === "ongoing") {
    const response = episode.expertResponse();
    const words = environment.toWords(response);
    const { isFormatValid, isActionValid, episode: next } = episode.respond(response);
    violations.push(
      ...unless({
        "the expert's response is made of known words": words.split(" ").every((word) => vocabulary.has(word)),
        "the expert's response survives as words": environment.fromWords(words) === response,
        "the expert's response is within its bound": countWords(words) <= family.maxResponseTokens,
        "the expert's response is valid": isFormatValid && isActionValid,
      }),
    );
    episode = next;
  }
  const isAsLong = optimalLength === undefined || episode.turn >= optimalLength || !episode.isSuccess;
  return [...violations, ...unless({ "the expert is not faster than a shortest solution": isAsLong })];
}

function unless(promises: Readonly<Record<string, boolean>>): readonly string[] {
  return Object.entries(promises)
    .filter(([, holds]) => !holds)
    .map(([promise]) => `broken: ${promise}`);
}

function freeze<Value>(value: Value): Value {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(freeze);
  }
  return value;
}
