import { textWorldFamilies, type TextWorldFamily, type TextWorldSpec } from "#trainer/spec/environments/textworld.ts";
import { usualShapes } from "#trainer/spec/rowTokens.ts";
import type { Ending, Environment, PromptInput } from "../environment.ts";
import { formatResponse, parseResponse, type Projection } from "../response.ts";
import type { SceneOf } from "../scene.ts";
import { toAction, toFacts } from "./action.ts";
import { listAdmissible, toCommandText } from "./command.ts";
import { describeInventory, thingsOnFloor, toTitle, describeRoom } from "./describe.ts";
import { advise, firstSight, lookAround, type Seen } from "./expert.ts";
import { type Game, inventoryOf, isAccessible, isContainer, isSupporter, kindOf, nameOf, type World } from "./game.ts";
import { generateTask } from "./generator/generate.ts";
import { planQuests } from "./generator/quest.ts";

import { bringAbout } from "./planner.ts";
import { type Play, startPlay, type } from "./play.ts";
import { signOf } from "./outcome.ts";
import { shortestWin } from "./shortest.ts";
import { listWords, measure } from "./vocabulary.ts";
import { followAction, startPolicy, type WinningPolicy } from "./winningPolicy.ts";
import { fromWords, toWords } from "./words.ts";

export type TextWorldState = {
  readonly game: Game;
  readonly family: TextWorldFamily;
  readonly play: Play;
  readonly observation: string;
  /** Entities that the player has seen, which is all that the expert may use. */
  readonly seen: Seen;
  /** Plan to win, updated every turn; undefined unless the setting of the reward needs it. */
  readonly policy: WinningPolicy | undefined;
  readonly turns: number;
};

/**
 * Makes a TextWorld environment: text games of rooms, doors, keys and containers, with the texts and rules of
 * TextWorld's compiled games. Any action gets an observation and costs a turn.
 */
export function makeTextWorld(spec: TextWorldSpec): Environment<TextWorldState> {
  const families: readonly TextWorldFamily[] = spec.family === "mixed" ? textWorldFamilies : [spec.family];
  const maxWords = measure(spec, families);
  const isBare = spec.projection === "bare";
  return {
    reset(seed) {
      const { game, walkthrough, family } = generateTask(spec, seed);
      const play = startPlay(game);
      const observation = observe(spec.obsMode, game, { world: play.world, text: undefined });
      const isGuided = spec.reward === "intermediate";
      // Cooking games have no walkthrough, so one is computed for rewards that need a plan to win.
      const way = isGuided && walkthrough.length === 0 ? walkToWin(game) : walkthrough;
      const policy = isGuided ? startPolicy(planQuests(game, way), toFacts(game, play.world)) : undefined;
      const state = { game, family, play, observation, seen: firstSight(game), policy, turns: 0 };
      return { state, observation };
    },
    step(before, action) {
      const state = act(spec, before, action);
      return {
        state,
        observation: state.observation,
        reward: rewardOf(spec, before, state),
        ending: endingOf(state, spec.maxTurns),
      };
    },
    project: (state, response) => project(spec, state, { response, maxActionWords: maxWords.action }),
    admissibleActions: ({ game, play }) => listAdmissible(game, play.world),
    expert: ({ game, play, seen }, rng) => advise(game, play, { seen, rng, isTold: spec.objective === "detailed" }),
    ...(isBare ? { formatResponse: ({ action }) => action, renderFull: renderChat } : { formatResponse }),
    task: ({ game }) => game.objective,
    anchor: ({ game, play, observation }) => `${observation}\n${describeInventory(game, play.world)}`,
    isSuccess: ({ play }) => play.progress.isWon,
    taskType: ({ family }) => family,
    score: ({ game, play }) => (game.maxScore === 0 ? 0 : play.progress.score / game.maxScore),
    optimalLength: ({ game, play }) => shortestWin(game, play),
    scene: ({ game, play }) => toScene(game, play.world),
    toWords,
    fromWords,
    taskTypes: families,
    instruction,
    words: listWords(spec, families),
    maxWords,
    rewardRange: spec.reward === "intermediate" ? [-1, 1] : [0, 1],
    maxTurns: spec.maxTurns,
    shape: usualShapes.textworld,
  };
}

const instruction = `You are an expert player of text adventures. You move with commands like: go north, open box, take key from box,
unlock door with key, put apple on table, insert apple into box, drop apple, eat apple, examine apple, look, inventory.`;

function act(spec: TextWorldSpec, before: TextWorldState, action: string): TextWorldState {
  const { game } = before;
  const { play, command, text } = type(game, before.play, action);
  const policy =
    before.policy === undefined || command === undefined
      ? before.policy
      : followAction(before.policy, toAction(game, before.play.world, command), toFacts(game, play.world));
  const looked = lookAround(game, play.world, before.seen);
  return {
    ...before,
    play,
    policy,
    observation: observe(spec.obsMode, game, { world: play.world, text }),
    seen: command?.verb === "examine" ? looked.with(command.thing, true) : looked,
    turns: before.turns + 1,
  };
}

function rewardOf({ reward }: TextWorldSpec, before: TextWorldState, after: TextWorldState): number {
  const { progress } = after.play;
  switch (reward) {
    case "sparse":
      return progress.isWon ? 1 : 0;
    case "balanced":
    case "dense":
      return (progress.score - before.play.progress.score) / after.game.maxScore;
    case "intermediate":
      return signOf(progress, before.policy?.length, after.policy?.length);
  }
}

function endingOf({ play, turns }: TextWorldState, maxTurns: number): Ending {
  if (play.progress.isWon || play.progress.isLost) return "terminated";
  return turns >= maxTurns ? "truncated" : "ongoing";
}

const thought = /<think>[^]*<\/think>/i;
const chineseCharacter = /[\u4e00-\u9fff]/;

/** Parses a response's action, cut to a command's length. Lenient parsing accepts any action (verl-agent). */
function project(
  { projection }: TextWorldSpec,
  { game, play }: TextWorldState,
  { response, maxActionWords }: { response: string; maxActionWords: number },
): Projection {
  const { isFormatValid: isStrict, isTagged, action: found } = parseResponse(response);
  const whole = response.trim().toLowerCase();
  const action = cutAfter(projection === "bare" ? whole : found, maxActionWords);
  if (projection === "lenient") {
    const isFormatValid = isTagged && thought.test(response) && !chineseCharacter.test(response);
    return { isFormatValid, isActionValid: isFormatValid, action };
  }
  const isFormatValid = projection === "bare" ? whole !== "" && !isTagged : isStrict;
  return { isFormatValid, isActionValid: isFormatValid && listAdmissible(game, play.world).includes(action), action };
}

function cutAfter(text: string, maxWords: number): string {
  const words = toWords(text).split(" ");
  return words.length <= maxWords ? text : fromWords(words.slice(0, maxWords).join(" "));
}

function toScene(game: Game, world: World): SceneOf<"textworld"> {
  const here = world.contents[world.room] ?? [];
  const namesIn = (holder: number): string[] => (world.contents[holder] ?? []).map((thing) => nameOf(game, thing));
  const isFurniture = (entity: number): boolean =>
    isContainer(kindOf(game, entity)) || isSupporter(kindOf(game, entity));
  return {
    environment: "textworld",
    name: toTitle(nameOf(game, world.room)),
    furniture: here.filter(isFurniture).map((entity) => ({
      name: nameOf(game, entity),
      condition: world.conditions[entity],
      things: isAccessible(game, world, entity) ? namesIn(entity) : [],
    })),
    exits: (game.exits[world.room] ?? []).map(({ direction, door }) => ({
      direction,
      ...(door !== undefined && {
        door: { name: nameOf(game, door), condition: world.conditions[door] === "open" ? "open" : "closed" },
      }),
    })),
    floor: thingsOnFloor(game, world).map((thing) => nameOf(game, thing)),
    carried: namesIn(inventoryOf(game)),
  };
}

/** Renders the prompt as one text in meow-tea-taro's order: the objective, then states and actions by turns. */
function renderChat({ task, observation, past }: PromptInput): string {
  const turns = [
    ...past.map((turn) => `current state: ${turn.observation}\n\nyour action: ${turn.action}`),
    `current state: ${observation}\n\nyour action: `,
  ];
  return [
    "You are an expert at solving text adventures.",
    "Your answer ends with an action that begins with a verb, for example: open box.",
    `Here is how to win the game:\n${task}`,
    `Here are your interactions so far:\n${turns.join("\n")}`,
  ].join("\n");
}

/** Maximum number of steps when a walkthrough is computed. The longest games need fewer steps, detours included. */
const maxSteps = 500;

/** Returns the commands of a player with full knowledge, quest after quest; empty if no way to win is found. */
function walkToWin(game: Game): readonly string[] {
  const lines: string[] = [];
  let play = startPlay(game);
  while (!play.progress.isWon && !play.progress.isLost && lines.length < maxSteps) {
    const { world, progress } = play;
    const next = game.quests.find(({ wins }, i) => wins.length > 0 && !progress.completed[i]);
    const mind = { game, world, seen: undefined, rng: undefined, pursued: [], kept: [] };
    const plan = bringAbout(mind, next?.wins[0] ?? []);
    if (typeof plan !== "object") return [];
    const line = toCommandText(game, plan.command);
    lines.push(line);
    ({ play } = type(game, play, line));
  }
  return play.progress.isWon ? lines : [];
}

/** Renders the observation of one turn. `text` is the game's output; undefined at the start, which shows the room. */
function observe(
  mode: TextWorldSpec["obsMode"],
  game: Game,
  { world, text }: { world: World; text: string | undefined },
): string {
  const room = describeRoom(game, world).trim();
  const answer = text ?? room;
  switch (mode) {
    case "native":
      return answer;
    case "meow": {
      // Observation mode `meow` keeps only the room's description from the game's output, if the output contains one.
      const body = answer.includes("=-\n") ? answer.slice(answer.indexOf("=-\n") + 3) : "";
      const lines = [`You are now in the ${nameOf(game, world.room)}.`, body, describeInventory(game, world)];
      return lines.filter((line) => line !== "").join("\n");
    }
    case "described": {
      const lines = [answer, ...(answer.includes(room) ? [] : [room]), describeInventory(game, world)];
      return lines.join("\n");
    }
  }
}
