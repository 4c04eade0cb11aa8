import { describe, expect, it } from "vitest";
import { taskSeeds } from "#trainer/spec/environment.ts";
import { TextWorldSpec } from "#trainer/spec/environments/textworld.ts";
import { split } from "#trainer/spec/rng.ts";
import { toTaskFamily } from "../episode.ts";
import { makeTextWorld } from "./textworld.ts";

const specOf = (given: object = {}) => TextWorldSpec.parse({ id: "textworld", ...given });

/** Returns the fraction of tasks that the expert wins, and the mean number of turns of those games. */
function play(given: object, count: number, slipRate = 0): { won: number; turns: number } {
  const family = toTaskFamily(makeTextWorld(specOf(given)));
  let [won, turns] = [0, 0];
  for (let i = 0; i < count; i++) {
    let episode = family.start(i % 4 === 3 ? taskSeeds.unseen.from + i : i);
    const rng = split(i, "expert");
    while (episode.ending === "ongoing") {
      const actions = episode
        .admissibleActions()
        .filter((action) => !/^(eat|drink|cook|chop|slice|dice) /.test(action));
      const slip = rng.next() < slipRate ? actions[rng.int(actions.length)] : undefined;
      episode = episode.respond(episode.expertResponse(rng, slip)).episode;
    }
    won += episode.isSuccess ? 1 : 0;
    turns += episode.isSuccess ? episode.turn : 0;
  }
  return { won: won / count, turns: turns / won };
}

describe("the expert", () => {
  it("wins 500 default games in as many turns as their quests have", { tags: "soak" }, () => {
    const { won, turns } = play({}, 500);
    expect(won).toBeGreaterThanOrEqual(0.98);
    expect(turns).toBeLessThan(4.1);
  });

  it.each([
    ["w4-o6-q8", { rooms: 4, objects: 6, questLength: 8, maxTurns: 16 }],
    [
      "w8-o12-q12, looking for everything",
      { rooms: 8, objects: 12, questLength: 12, objective: "brief", maxTurns: 80 },
    ],
    ["the house, looking for the food", { family: "simple", objective: "brief", reward: "dense", maxTurns: 50 }],
    ["a coin among dead ends, unseen", { family: "coin", rooms: 12, questLength: 5, objective: "brief", maxTurns: 40 }],
    ["treasure", { family: "treasure", rooms: 8, questLength: 6, distractors: 6, objective: "brief", maxTurns: 60 }],
    [
      "cooking three ingredients in nine rooms by the cookbook",
      { family: "cooking", rooms: 9, ingredients: 3, cook: true, cut: true, objective: "brief", maxTurns: 100 },
    ],
    [
      "cooking with full hands",
      { family: "cooking", rooms: 6, ingredients: 3, cook: true, cut: true, carryLimit: true, maxTurns: 60 },
    ],
  ])("wins by what it saw: %s", (_, given) => {
    expect(play(given, 60).won).toBeGreaterThanOrEqual(0.98);
  });

  it("finds its way back after slips", () => {
    expect(play({ maxTurns: 40 }, 100, 0.3).won).toBeGreaterThanOrEqual(0.98);
    expect(play({ rooms: 4, objects: 6, questLength: 8, maxTurns: 100 }, 60, 0.3).won).toBeGreaterThanOrEqual(0.95);
  });

  it("does not go where only the hidden world would send it: not told, it needs more turns than told", () => {
    const world = { family: "coin", rooms: 12, questLength: 5, maxTurns: 60 };
    expect(play({ ...world, objective: "brief" }, 60).turns).toBeGreaterThan(play(world, 60).turns + 1);
  });
});
