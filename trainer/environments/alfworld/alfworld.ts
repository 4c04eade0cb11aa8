import type { AlfworldSpec } from "#trainer/spec/environments/alfworld.ts";
import { usualShapes } from "#trainer/spec/rowTokens.ts";
import type { Environment } from "../environment.ts";
import type { SceneOf } from "../scene.ts";
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
import { beginState, contentsOf, heldObject, type State } from "./world.ts";

export type AlfworldState = State & { readonly observation: string };

const solvedReward = 10;
/** Number of characters at the response's end that serve as its action if the action tag is missing (verl-agent). */
const fallbackLength = 30;
/** Number of words in the longest command, `take peppershaker 3 from diningtable 1`. */
const commandWords = 6;

export function makeAlfworld(spec: AlfworldSpec): Environment<AlfworldState> {
  const { numReceptacles, numObjects } = spec;
  // Upper bound on the number of objects: goal objects and a lamp are placed even if `numObjects` is smaller.
  const maxHere = numObjects + 3;
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
    // The command `help` is left out of the admissible actions, as in verl-agent.
    admissibleActions: (state) =>
      possibleCommands(state).flatMap(({ text, command }) => (command.verb === "help" ? [] : [text])),
    expert: advise,
    task: ({ world }) => world.goal.text,
    anchor: ({ observation }) => observation,
    isSuccess: isWon,
    taskType: ({ world }) => world.goal.type,
    optimalLength,
    scene: toScene,
    ...(spec.notes ? { notes: takeNotes } : {}),
    toWords,
    fromWords,
    taskTypes: spec.taskTypes,
    instruction,
    words: vocabularyOf(spec),
    maxWords: {
      task: 8,
      // The first observation names all receptacles and the goal; a later one, a receptacle and all its contents.
      observation: Math.max(2 * numReceptacles + 10, 2 * maxHere + 5),
      action: commandWords,
      response: 4 + 4 + commandWords,
      // Upper bound on the words of all admissible commands: `go to` for each other receptacle, two commands for the
      // current receptacle and two general commands. Then follow one `take` per object here, or four treatments of
      // the held object, and the lamps.
      admissible: spec.showAdmissible ? 5 * numReceptacles + 8 + 7 * (maxHere + 4) : 0,
      ...(spec.notes ? { notes: maxNotesWords(numReceptacles) } : {}),
    },
    rewardRange: spec.reward === "sparse" ? [0, solvedReward] : [-solvedReward, solvedReward],
    maxTurns: spec.maxTurns,
    shape: usualShapes.alfworld,
  };
}

const instruction = `You are an expert agent operating in the ALFRED Embodied Environment. You are in a household room and have a task to do.
You hold at most one object. Closed receptacles are opened before anything is taken out of them or put into them.`;

/** Returns the state for drawing. A receptacle not yet looked into shows only objects that the player put there. */
function toScene(state: AlfworldState): SceneOf<"alfworld"> {
  const { world, location, isOpen, isInspected, putDown, isClean, temperatures, isLit, isSliced } = state;
  return {
    environment: "alfworld",
    receptacles: world.receptacleOrder.flatMap((i) => {
      const receptacle = world.receptacles[i];
      if (receptacle === undefined) return [];
      const isSeen = isInspected[i] === true;
      const shown = contentsOf(state, i).filter((object) => isSeen || putDown[object] !== undefined);
      return {
        name: receptacle.name,
        isHere: receptacle.location === location,
        isOpen: receptacle.isOpenable ? isOpen[i] : undefined,
        isSeen,
        objects: shown.map((object) => world.objects[object]?.name ?? ""),
      };
    }),
    carried: world.objects[heldObject(state)]?.name,
    states: Object.fromEntries(
      world.objects.flatMap(({ name }, i) => {
        const temperature = temperatures[i];
        const states = [
          ...(isClean[i] === true ? ["clean"] : []),
          ...(temperature === undefined ? [] : [temperature]),
          ...(isSliced[i] === true ? ["sliced"] : []),
          ...(isLit[i] === true ? ["on"] : []),
        ];
        return states.length === 0 ? [] : [[name, states]];
      }),
    ),
  };
}
