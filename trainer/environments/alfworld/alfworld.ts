import type { AlfworldSpec } from "#trainer/spec/environments/alfworld.ts";
import { usualShapes } from "#trainer/spec/rowTokens.ts";
import type { Environment } from "../environment.ts";
import { parseLeniently, parseResponse } from "../response.ts";
import { act } from "./act.ts";
import { isPossible, parseCommand, possibleCommands } from "./command.ts";
import { advise } from "./expert.ts";
import { generateWorld } from "./generator.ts";
import { isWon, progressOf } from "./goal.ts";
import { optimalLength } from "./optimal.ts";
import { welcome } from "./text.ts";
import { maxNotesWords, takeNotes } from "./notes.ts";
import { fromWords, toWords, vocabularyOf } from "./words.ts";
import { beginState, type State } from "./world.ts";

export type AlfworldState = State & { readonly observation: string };

const solvedReward = 10;
/** What is taken for an action, from the end of a response without one. */
const fallbackLength = 30;
/** Of the longest command, `take peppershaker 3 from diningtable 1`. */
const commandWords = 6;

/** ALFWorld: households in which things are found, treated and put where they belong. */
export function makeAlfworld(spec: AlfworldSpec): Environment<AlfworldState> {
  const { numReceptacles, numObjects } = spec;
  // A task has at most two of its kind beyond three of any other, and one lamp.
  const mostHere = numObjects + 3;
  return {
    reset(seed) {
      const world = generateWorld(spec, seed);
      const observation = welcome(world);
      return { state: { ...beginState(world), observation }, observation };
    },
    step(before, action) {
      const { state: after, observation } = act(before, action);
      const state = { ...after, observation, turns: before.turns + 1 };
      const isDone = isWon(state);
      const reward = spec.reward === "dense" ? solvedReward * (progressOf(state) - progressOf(before)) : 0;
      return {
        state,
        observation,
        reward: spec.reward === "sparse" && isDone ? solvedReward : reward,
        ending: isDone ? "terminated" : state.turns >= spec.maxTurns ? "truncated" : "ongoing",
      };
    },
    project(state, response) {
      if (spec.projection === "lenient") {
        const { isFormatValid, action } = parseLeniently(response, fallbackLength);
        return { isFormatValid, isActionValid: isFormatValid, action };
      }
      const { isFormatValid, action } = parseResponse(response);
      const command = isFormatValid ? parseCommand(state.world, action) : undefined;
      const isActionValid = command !== undefined && isPossible(state, command);
      return { isFormatValid, isActionValid, action };
    },
    // `help` is left out, as in verl-agent.
    admissibleActions: (state) =>
      possibleCommands(state).flatMap(({ text, command }) => (command.verb === "help" ? [] : [text])),
    expert: advise,
    task: ({ world }) => world.goal.text,
    anchor: ({ observation }) => observation,
    isSuccess: isWon,
    taskType: ({ world }) => world.goal.type,
    optimalLength,
    ...(spec.notes ? { notes: takeNotes } : {}),
    toWords,
    fromWords,
    taskTypes: spec.taskTypes,
    instruction,
    words: vocabularyOf(spec),
    maxWords: {
      task: 8,
      // The first one names all receptacles and the goal; later ones a receptacle and all that is in it.
      observation: Math.max(2 * numReceptacles + 10, 2 * mostHere + 5),
      action: commandWords,
      response: 4 + 4 + commandWords,
      // All receptacles but one to go to, two things to do at this one, two more that are always there, and either
      // everything here to be taken or, with one thing in hand, four ways to treat it; lamps besides.
      admissible: spec.showAdmissible ? 5 * numReceptacles + 8 + 7 * (mostHere + 4) : 0,
      ...(spec.notes ? { notes: maxNotesWords(numReceptacles) } : {}),
    },
    rewardRange: spec.reward === "sparse" ? [0, solvedReward] : [-solvedReward, solvedReward],
    maxTurns: spec.maxTurns,
    shape: usualShapes.alfworld,
  };
}

const instruction = `You are an expert agent operating in the ALFRED Embodied Environment. You are in a household room and have a task to do.
You hold at most one object. Closed receptacles are opened before anything is taken out of them or put into them.`;
