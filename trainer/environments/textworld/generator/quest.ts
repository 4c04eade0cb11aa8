import type { TextWorldSpec } from "#trainer/spec/environments/textworld.ts";
import type { Rng } from "#trainer/spec/rng.ts";
import { toAction, toFactText } from "../action.ts";
import {
  holds,
  inventoryOf,
  isContainer,
  kindOf,
  nameOf,
  type Event,
  type Fact,
  type Game,
  type Quest,
  type World,
} from "../game.ts";
import { parseCommand } from "../parse.ts";
import { perform } from "../perform.ts";
import type { PlannedQuest } from "../winningPolicy.ts";
import { buildGame } from "./blueprint.ts";
import type { Named } from "./assignNames.ts";
import { describeGoal, describeSteps, type Step } from "./objective.ts";
import { makeWriter } from "./prose.ts";

/**
 * Compiles a world to a game and adds its quest: the facts after the last step, and intermediate points.
 * @param forbidden id of the thing that must not be taken
 * @returns undefined if the steps are impossible, or reach the final state before the last step
 */
export function finish(
  { blueprint, lines }: Named,
  { spec, rng, forbidden }: { spec: TextWorldSpec; rng: Rng; forbidden?: string | undefined },
): Generated | undefined {
  const game = buildGame(blueprint, makeWriter(spec.prose, rng));
  const steps = rehearse(game, lines)?.steps;
  const last = steps?.at(-1);
  if (steps === undefined || last === undefined) return undefined;
  const end = factsAfter(game, last);
  if (steps.some(({ world }) => end.every((fact) => holds(world, fact)))) return undefined;
  const density = densityOf(spec);
  const thing = game.entities.findIndex(({ id }) => id === forbidden);
  const fail: Event = [{ is: "held", thing, holder: inventoryOf(game) }];
  const loses: readonly Quest[] = thing < 0 ? [] : [{ reward: 0, wins: [], fails: [fail] }];
  const quests = [...questsAlong(game, steps, density), ...loses];
  const objective = {
    detailed: () => describeSteps(game, steps, { prose: spec.prose, rng }),
    brief: () => describeGoal(game, last),
    none: () => "",
  }[spec.objective]();
  return { game: withQuests(game, quests, objective), walkthrough: lines, structure: structureOf(game, last) };
}

/** Returns the reward density: "sparse" gives a point only for the final state, "dense" for every step. */
export function densityOf({ reward }: TextWorldSpec): "sparse" | "balanced" | "dense" {
  return reward === "balanced" || reward === "dense" ? reward : "sparse";
}

/** Returns the subject of a quest's last step, a thing and its places, which determines the game's split. */
export function structureOf(game: Game, { command, world }: Step): readonly string[] {
  if (!("thing" in command)) return [];
  const name = nameOf(game, command.thing);
  const found = game.start.holders[command.thing] ?? inventoryOf(game);
  const location = kindOf(game, command.thing) === "door" ? world.room : found;
  const other =
    "other" in command && command.other !== found ? [`${command.verb} ${name}, ${nameOf(game, command.other)}`] : [];
  return [`${name} at ${nameOf(game, location)}`, ...other];
}

export type Generated = {
  readonly game: Game;
  readonly walkthrough: readonly string[];
  /** Subjects of the quest, such as a thing in a certain location, which determine the game's split. */
  readonly structure: readonly string[];
};

/** Executes a walkthrough in a game without quests; undefined if a step is impossible or ambiguous. */
export function rehearse(
  game: Game,
  walkthrough: readonly string[],
): { steps: readonly Step[]; end: World } | undefined {
  let world = game.start;
  const steps: Step[] = [];
  for (const line of walkthrough) {
    const parsed = parseCommand(game, world, line);
    if ("answer" in parsed || parsed.note !== undefined) return undefined;
    const outcome = perform(game, world, parsed.command);
    if (!outcome.isDone) return undefined;
    steps.push({ command: parsed.command, world });
    world = outcome.world;
  }
  return { steps, end: world };
}

/** Returns facts that hold after an action, used as the win conditions of a quest that ends with it. */
export function factsAfter(game: Game, { command, world }: Step): Event {
  const here: Fact = { is: "player at", room: world.room };
  switch (command.verb) {
    case "go":
      return [{ is: "player at", room: perform(game, world, command).world.room }];
    case "take":
      return [here, { is: "held", thing: command.thing, holder: inventoryOf(game) }];
    case "take from":
      return [here, ...openFact(game, command.other), { is: "held", thing: command.thing, holder: inventoryOf(game) }];
    case "drop":
      return [here, { is: "held", thing: command.thing, holder: world.room }];
    case "put":
    case "insert":
      return [here, ...openFact(game, command.other), { is: "held", thing: command.thing, holder: command.other }];
    case "open":
      return [here, { is: "open", thing: command.thing }];
    case "close":
      return [here, { is: "closed", thing: command.thing }];
    case "lock":
    case "unlock":
      return [
        here,
        { is: "held", thing: command.other, holder: inventoryOf(game) },
        { is: command.verb === "lock" ? "locked" : "closed", thing: command.thing },
      ];
    case "eat":
      return [{ is: "eaten", thing: command.thing }];
    case "look":
    case "inventory":
    case "examine":
    case "drink":
    case "cook":
    case "chop":
    case "slice":
    case "dice":
    case "prepare meal":
      return [];
  }
}

function openFact(game: Game, holder: number): Event {
  return isContainer(kindOf(game, holder)) ? [{ is: "open", thing: holder }] : [];
}

/** Returns the one new fact of an action, used as the condition of an intermediate point. */
export function pointAfter(game: Game, step: Step): Event {
  const facts = factsAfter(game, step);
  return step.command.verb === "go" ? facts : facts.slice(-1);
}

/** Makes quests of one point: for the final state only, for steps that handle things, or for every step. */
export function questsAlong(
  game: Game,
  steps: readonly Step[],
  density: "sparse" | "balanced" | "dense",
): readonly Quest[] {
  const last = steps.at(-1);
  if (last === undefined) return [];
  const points =
    density === "sparse"
      ? []
      : steps.slice(0, -1).filter(({ command }) => density === "dense" || command.verb !== "go");
  const events = [...points.map((step) => pointAfter(game, step)), factsAfter(game, last)];
  // An intermediate point whose condition holds at the start would be a free reward.
  const distinct = events
    .filter((event, i) => i === events.length - 1 || !event.every((fact) => holds(game.start, fact)))
    .filter((event, i, all) => all.findIndex((other) => JSON.stringify(other) === JSON.stringify(event)) === i);
  return distinct.map((event) => ({ reward: 1, wins: [event], fails: [] }));
}

export function withQuests(game: Game, quests: readonly Quest[], objective: string): Game {
  return { ...game, quests, objective, maxScore: quests.reduce((sum, { reward }) => sum + reward, 0) };
}

/** Returns the walkthrough's actions that complete each quest, from which the shaped reward's plan starts. */
export function planQuests(game: Game, walkthrough: readonly string[]): readonly PlannedQuest[] {
  const steps = rehearse(game, walkthrough)?.steps ?? [];
  const actions = steps.map(({ world, command }) => toAction(game, world, command));
  const worlds = steps.map(({ world, command }) => perform(game, world, command).world);
  return game.quests.map(({ wins, fails }) => ({
    wins: wins.map((event) => {
      const reached = worlds.findIndex((world) => event.every((fact) => holds(world, fact)));
      return { actions: actions.slice(0, reached + 1), facts: event.map((fact) => toFactText(game, fact)) };
    }),
    fails: fails.map((event) => ({ actions: [], facts: event.map((fact) => toFactText(game, fact)) })),
  }));
}
