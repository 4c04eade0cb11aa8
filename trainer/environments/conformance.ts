import { split } from "#trainer/spec/rng.ts";
import type { Environment } from "./environment.ts";
import { toTaskFamily, type Episode } from "./episode.ts";
import { formatResponse } from "./response.ts";

/**
 * What every environment promises, tried on the tasks of `seeds`: each broken promise as one sentence, none if all
 * hold. Two lives per task: one by the expert, one by chance, which also says things that are no action.
 */
export function findViolations<State>(environment: Environment<State>, seeds: readonly number[]): readonly string[] {
  return seeds.flatMap((seed) =>
    [
      ...violationsOfReset(environment, seed),
      ...violationsOfLife(environment, seed, (episode) => episode.expertResponse()),
      ...violationsOfLife(environment, seed, ramble(seed)),
      ...violationsOfExpert(environment, seed),
    ].map((violation) => `seed ${seed}: ${violation}`),
  );
}

function violationsOfReset<State>(environment: Environment<State>, seed: number): readonly string[] {
  const [{ state, observation }, again] = [environment.reset(seed), environment.reset(seed)];
  return unless({
    "reset repeats itself": JSON.stringify({ state, observation }) === JSON.stringify(again),
    "a new task is not yet solved": !environment.isSuccess(state),
    "a new task has something to do": environment.admissibleActions(state).length > 0,
  });
}

type Answer = (episode: Episode) => string;

/** Any response in turn, drawn from the seed and the turn alone: a plan that can be followed twice. */
function ramble(seed: number): Answer {
  const noise = ["", "look", "<action>", "<think> </think> <action> fly </action>", "<action> still </action>"];
  return (episode) => {
    const rng = split(seed, "conformance", episode.turn);
    const formatted = episode.admissibleActions.map((action) => formatResponse({ thought: "", action }));
    const choices = [...formatted, ...formatted, ...noise];
    return choices[rng.int(choices.length)] ?? "";
  };
}

function violationsOfLife<State>(environment: Environment<State>, seed: number, answer: Answer): readonly string[] {
  const family = toTaskFamily({
    ...environment,
    // A step that writes to its input throws.
    step: (state, action) => environment.step(freeze(state), action),
  });
  const vocabulary = new Set(family.words);
  const [lowest, highest] = family.rewardRange;
  const violations: string[] = [];
  let [episode, twin] = [family.start(seed), family.start(seed)];
  while (episode.ending === "ongoing") {
    const response = answer(episode);
    const prompts = [0, 1, 2].map((historyLength) => episode.prompt(historyLength).split(" "));
    const [turn, twinTurn] = [episode.respond(response), twin.respond(response)];
    violations.push(
      ...unless({
        "the prompt is made of known words": prompts.every((words) => words.every((word) => vocabulary.has(word))),
        "the prompt is within its bound": prompts.every((words, k) => words.length <= family.maxPromptTokens(k)),
        "the reward is within its bounds": turn.reward >= lowest - 1e-9 && turn.reward <= highest + 1e-9,
        "equal responses lead to equal moments":
          turn.reward === twinTurn.reward && turn.episode.prompt(9) === twinTurn.episode.prompt(9),
        "a turn is counted": turn.episode.turn === episode.turn + 1,
        "an invalid format makes an invalid action": turn.isFormatValid || !turn.isActionValid,
        "success and termination go together": turn.episode.isSuccess === (turn.episode.ending === "terminated"),
      }),
    );
    [episode, twin] = [turn.episode, twinTurn.episode];
  }
  return violations;
}

function violationsOfExpert<State>(environment: Environment<State>, seed: number): readonly string[] {
  const family = toTaskFamily(environment);
  const vocabulary = new Set(family.words);
  const violations: string[] = [];
  let episode = family.start(seed);
  const optimalLength = episode.optimalLength();
  while (episode.ending === "ongoing") {
    const response = episode.expertResponse();
    const { isFormatValid, isActionValid, episode: next } = episode.respond(response);
    violations.push(
      ...unless({
        "the expert's response is made of known words": response.split(" ").every((word) => vocabulary.has(word)),
        "the expert's response is valid": isFormatValid && isActionValid,
      }),
    );
    episode = next;
  }
  const isAsLong = optimalLength === undefined || episode.turn === optimalLength || !episode.isSuccess;
  return [...violations, ...unless({ "the expert needs as many turns as a shortest solution": isAsLong })];
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
