import { describe, expect, it } from "vitest";
import { taskSeeds } from "#trainer/spec/environment.ts";
import { textWorldFamilies, TextWorldSpec } from "#trainer/spec/environments/textworld.ts";
import { split } from "#trainer/spec/rng.ts";
import { findViolations } from "../testing/conformance.ts";
import { toTaskFamily } from "../episode.ts";
import { hostileActions } from "../testing/hostile.ts";
import { makeTextWorld } from "./textworld.ts";

const specOf = (given: object = {}) => TextWorldSpec.parse({ id: "textworld", ...given });
const standard = makeTextWorld(specOf());
const seeds = (from: number, count: number): number[] => Array.from({ length: count }, (_, i) => from + i);
const { train, seen, unseen } = taskSeeds;

const corners: readonly (readonly [string, object])[] = [
  ["brief, described", { objective: "brief", obsMode: "described", maxTurns: 20 }],
  ["no objective, meow, dense", { objective: "none", obsMode: "meow", reward: "dense" }],
  ["rich prose, all names, intermediate", { prose: "rich", names: "large", reward: "intermediate", rooms: 3 }],
  [
    "a listed coin, bare responses",
    { family: "coin", rooms: 8, questLength: 6, showAdmissible: true, projection: "bare" },
  ],
  ["treasure behind locks", { family: "treasure", rooms: 6, questLength: 5, distractors: 5 }],
  ["the house, balanced, lenient", { family: "simple", reward: "balanced", projection: "lenient", maxTurns: 24 }],
  ["cooking with full hands", { family: "cooking", ingredients: 2, rooms: 6, cook: true, cut: true, carryLimit: true }],
  ["one room, one step", { rooms: 1, objects: 1, questLength: 1, doors: "none" }],
];

describe("TextWorld", () => {
  it("keeps every promise of an environment on training and validation tasks", () => {
    const some = [...seeds(train.from, 20), ...seeds(seen.from, 10), ...seeds(unseen.from, 10)];
    expect(findViolations(standard, some)).toEqual([]);
  });

  it.each(corners)("keeps them in every corner of its specification: %s", (_, given) => {
    const some = [...seeds(0, 3), seen.from, ...seeds(unseen.from, 2)];
    expect(findViolations(makeTextWorld(specOf(given)), some)).toEqual([]);
  });

  it("answers 10,000 random and hostile actions without a throw and without writing to its input", () => {
    let { state } = standard.reset(3);
    for (const [i, action] of [...hostileActions(10_000, () => standard.admissibleActions(state))].entries()) {
      const before = i % 50 === 0 ? JSON.stringify(state) : "";
      const next = standard.step(state, action);
      expect(next.observation.length).toBeGreaterThan(0);
      if (before !== "") expect(JSON.stringify(state)).toBe(before);
      state = next.ending === "terminated" ? standard.reset(i).state : { ...next.state, turns: 0 };
    }
  });

  it("carries out every action that it admits", () => {
    for (const family of textWorldFamilies) {
      const environment = makeTextWorld(specOf({ family, rooms: 6, objects: 6, maxTurns: 200, cook: true, cut: true }));
      for (const seed of seeds(0, 6)) {
        const rng = split(seed, family);
        let { state } = environment.reset(seed);
        for (let turn = 0; turn < 25; turn++) {
          const admissible = environment.admissibleActions(state);
          for (const action of admissible) {
            const { state: after } = environment.step(state, action);
            // Only these actions may change nothing without being refused: "prepare meal" does so if a step is missing.
            const changesNothing = /^(look|inventory|examine .*|prepare meal)$/.test(action);
            expect(changesNothing || after.play.world !== state.play.world, action).toBe(true);
          }
          const next = environment.step(state, admissible[rng.int(admissible.length)] ?? "look");
          if (next.ending !== "ongoing") break;
          state = next.state;
        }
      }
    }
  });
});

describe("its rewards", () => {
  const playThrough = (given: object, seed: number): number[] => {
    const environment = makeTextWorld(specOf({ maxTurns: 60, ...given }));
    let { state } = environment.reset(seed);
    const rewards: number[] = [];
    while (!environment.isSuccess(state)) {
      const next = environment.step(state, environment.expert(state).action);
      rewards.push(next.reward);
      state = next.state;
    }
    return rewards;
  };

  it("sum to one on every way to win, wherever the points are", () => {
    for (const seed of seeds(0, 12)) {
      const sparse = playThrough({}, seed);
      expect(sparse).toEqual([...sparse.slice(1).map(() => 0), 1]);
      const dense = playThrough({ family: "simple", reward: "dense" }, seed);
      expect(dense.reduce((sum, reward) => sum + reward, 0)).toBeCloseTo(1, 9);
      expect(dense.filter((reward) => reward > 0).length).toBeGreaterThanOrEqual(7);
      const balanced = playThrough({ family: "simple", reward: "balanced" }, seed);
      expect([3, 4]).toContain(balanced.filter((reward) => reward > 0).length);
    }
  });

  it("are plus one for each step nearer and minus one for each step back, when intermediate", () => {
    const environment = makeTextWorld(specOf({ reward: "intermediate", family: "simple", maxTurns: 60 }));
    for (const seed of seeds(0, 4)) {
      let { state } = environment.reset(seed);
      while (!environment.isSuccess(state)) {
        const { action } = environment.expert(state);
        const next = environment.step(state, action);
        expect(next.reward).toBe(1);
        expect(environment.step(state, "look").reward).toBe(0);
        if (action === "go east" && !environment.isSuccess(next.state))
          expect(environment.step(next.state, "go west").reward).toBe(-1);
        state = next.state;
      }
    }
  });

  it("are that in cooking games too, which come without a walkthrough", () => {
    const given = { family: "cooking", rooms: 6, ingredients: 2, cook: true, cut: true, carryLimit: true };
    for (const seed of seeds(0, 4)) {
      const rewards = playThrough({ ...given, reward: "intermediate", maxTurns: 100 }, seed);
      const forward = rewards.filter((reward) => reward === 1).length;
      expect(rewards.at(-1)).toBe(1);
      // A player with full hands has to put things down in between, which is a step backward.
      expect(forward / rewards.length).toBeGreaterThan(0.7);
    }
  });

  it("end with nothing when the food that was asked for is eaten, or the wrong treasure taken", () => {
    const house = makeTextWorld(specOf({ family: "simple", maxTurns: 60 }));
    let { state } = house.reset(1);
    let action = "";
    while (!action.startsWith("put ")) {
      state = action === "" ? state : house.step(state, action).state;
      ({ action } = house.expert(state));
    }
    const lost = house.step(state, action.replace("put", "eat").replace(" on stove", ""));
    expect([lost.ending, lost.reward, house.isSuccess(lost.state)]).toEqual(["terminated", 0, false]);
    expect(lost.observation).toContain("*** You lost! ***");
  });
});

describe("its knobs", () => {
  const lengthsOf = (given: object): readonly number[] => {
    const environment = makeTextWorld(specOf(given));
    return seeds(0, 12).map((seed) => environment.optimalLength?.(environment.reset(seed).state) ?? 0);
  };

  it("set the size of the second paper's worlds: rooms, objects, length of the quest", () => {
    for (const [rooms, objects, questLength] of [
      [2, 3, 4],
      [4, 6, 8],
      [8, 12, 12],
    ] as const) {
      const environment = makeTextWorld(specOf({ rooms, objects, questLength }));
      const games = seeds(0, 8).map((seed) => environment.reset(seed).state.game);
      for (const { entities } of games) {
        expect(entities.filter(({ kind }) => kind === "room")).toHaveLength(rooms);
        expect(entities.filter(({ kind }) => kind !== "room" && kind !== "door").length).toBeGreaterThanOrEqual(
          objects,
        );
      }
    }
    expect(lengthsOf({ questLength: 2 }).every((length) => length <= 2)).toBe(true);
    const mean = (lengths: readonly number[]) => lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
    expect(mean(lengthsOf({ questLength: 4 }))).toBeGreaterThan(3.5);
    expect(mean(lengthsOf({ rooms: 4, objects: 6, questLength: 8 }))).toBeGreaterThan(7);
  });

  it("say less of the task, and none of its way", () => {
    const taskOf = (objective: string) => {
      const environment = makeTextWorld(specOf({ objective }));
      return environment.task(environment.reset(1).state);
    };
    expect(taskOf("detailed").split(". ")).toHaveLength(4);
    expect(taskOf("brief").split(". ")).toHaveLength(1);
    expect(taskOf("none")).toBe("");
  });

  it("close the doors, and lock them", () => {
    const conditions = (doors: string): ReadonlySet<string | undefined> => {
      const environment = makeTextWorld(specOf({ rooms: 8, doors }));
      return new Set(
        seeds(0, 30).flatMap((seed) => {
          const { game } = environment.reset(seed).state;
          return game.entities.flatMap(({ kind }, i) => (kind === "door" ? [game.start.conditions[i]] : []));
        }),
      );
    };
    expect(conditions("none").size).toBe(0);
    expect(conditions("closed").has("locked")).toBe(false);
    expect(conditions("locked")).toEqual(new Set(["closed", "locked", "open"]));
  });

  it("show what meow-tea's agents see: the room's name, its description when printed, what is carried", () => {
    const environment = makeTextWorld(specOf({ family: "simple", obsMode: "meow", maxTurns: 24 }));
    const { state, observation } = environment.reset(0);
    expect(observation).toMatch(/^You are now in the bedroom\.\nYou see .*\nYou are carrying nothing\.$/);
    const opened = environment.step(state, "open chest drawer").observation;
    expect(opened).toBe("You are now in the bedroom.\nYou are carrying nothing.");
  });

  it("name all families in a mixture", () => {
    const environment = makeTextWorld(specOf({ family: "mixed", rooms: 4 }));
    const types = seeds(0, 60).map((seed) => environment.taskType?.(environment.reset(seed).state));
    expect(environment.taskTypes).toEqual(textWorldFamilies);
    expect(new Set(types)).toEqual(new Set(textWorldFamilies));
  });

  it.each([
    ["treasure among furniture", { family: "treasure", questLength: 1, distractors: 20 }],
    ["sixty things", { objects: 40, questLength: 1, distractors: 20 }],
    ["twenty rooms with doors", { rooms: 20, questLength: 12 }],
  ])("have names for everything in the largest worlds: %s", (_, given) => {
    const environment = makeTextWorld(specOf({ rooms: 1, ...given }));
    for (const seed of [...seeds(0, 4), seen.from, unseen.from]) {
      const { entities } = environment.reset(seed).state.game;
      expect(new Set(entities.map(({ name }) => name)).size).toBe(entities.length);
    }
    expect(findViolations(environment, [0, unseen.from])).toEqual([]);
  });

  it("keep games for validation in the smallest worlds, or say that there are none", () => {
    const environment = makeTextWorld(specOf({ family: "coin", rooms: 1, questLength: 1 }));
    const textOf = (seed: number): string => environment.reset(seed).observation;
    const train = new Set(seeds(0, 100).map(textOf));
    const held = [...seeds(seen.from, 30), ...seeds(unseen.from, 30)].map(textOf);
    expect(held.filter((text) => train.has(text))).toEqual([]);
  });

  it("keep the vocabulary of the default small enough for a small policy", () => {
    expect(toTaskFamily(standard).words.length).toBeLessThan(260);
    expect(standard.words).not.toContain("barbecue");
    expect(makeTextWorld(specOf({ names: "large", prose: "rich" })).words.length).toBeGreaterThan(300);
  });
});
