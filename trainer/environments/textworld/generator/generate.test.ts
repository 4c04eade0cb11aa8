import { describe, expect, it } from "vitest";
import { taskSeeds } from "#trainer/spec/environment.ts";
import { TextWorldSpec } from "#trainer/spec/environments/textworld.ts";
import { split } from "#trainer/spec/rng.ts";
import { holds } from "../game.ts";
import { articulationRooms, chainLayout, walkLayout } from "./layout.ts";
import { roomsFor } from "./cooking.ts";
import { generateTask } from "./generate.ts";
import { rehearse } from "./quest.ts";

const specOf = (given: object = {}) => TextWorldSpec.parse({ id: "textworld", ...given });
const seeds = (from: number, count: number): number[] => Array.from({ length: count }, (_, i) => from + i);
const { train, seen, unseen } = taskSeeds;

describe("a generated game", () => {
  it.each([
    ["custom", { rooms: 5, objects: 8, questLength: 7 }],
    ["coin", { family: "coin", rooms: 9, questLength: 6 }],
    ["treasure", { family: "treasure", rooms: 6, questLength: 5, distractors: 6 }],
    ["simple", { family: "simple", reward: "dense" }],
  ])("is won by its walkthrough and not before: %s", (_, given) => {
    const spec = specOf(given);
    for (const seed of seeds(0, 25)) {
      const { game, walkthrough } = generateTask(spec, seed);
      const played = rehearse(game, walkthrough);
      const end = game.quests.findLast(({ wins }) => wins.length > 0)?.wins[0] ?? [];
      expect(played?.steps).toHaveLength(walkthrough.length);
      expect(played && end.every((fact) => holds(played.end, fact))).toBe(true);
      for (const { world } of played?.steps ?? []) expect(end.every((fact) => holds(world, fact))).toBe(false);
      expect(new Set(played?.steps.map(({ world }) => JSON.stringify(world))).size).toBe(walkthrough.length);
    }
  });

  it("of cooking has the largest of 1, 6, 9 and 12 rooms up to the setting", () => {
    const numRooms = seeds(1, 13).map((rooms) => roomsFor(rooms).length);
    expect(numRooms).toEqual([1, 1, 1, 1, 1, 6, 6, 6, 9, 9, 9, 12, 12]);
    const { game } = generateTask(specOf({ family: "cooking", rooms: 5, ingredients: 5, cook: true, cut: true }), 0);
    expect(game.entities.filter(({ kind }) => kind === "room")).toHaveLength(1);
  });

  it("is the same from the same seed, and another from another", () => {
    const texts = seeds(0, 60).map((seed) => JSON.stringify(generateTask(specOf(), seed)));
    expect(texts.slice(0, 10)).toEqual(seeds(0, 10).map((seed) => JSON.stringify(generateTask(specOf(), seed))));
    expect(new Set(texts).size).toBe(60);
  });

  it("is never one of training and of validation", () => {
    for (const family of ["custom", "simple", "cooking", "coin"]) {
      const spec = specOf({ family, rooms: 3, questLength: 3, cook: true });
      const contentOf = (seed: number): string => {
        const { game, walkthrough } = generateTask(spec, seed);
        const { entities, exits, start, quests, recipe } = game;
        return JSON.stringify([entities.map(({ name }) => name), exits, start, quests, recipe, walkthrough]);
      };
      const trained = new Set(seeds(train.from, 150).map(contentOf));
      const heldOut = [...seeds(seen.from, 20), ...seeds(unseen.from, 20)].map(contentOf);
      expect(heldOut.filter((content) => trained.has(content))).toEqual([]);
    }
  });

  it("is about something new when unseen: no training quest ends with the same thing at the same place", () => {
    for (const family of ["custom", "simple", "cooking"]) {
      const spec = specOf({ family, cook: true });
      const aboutOf = (seed: number): readonly string[] => generateTask(spec, seed).structure;
      const trained = new Set(seeds(train.from, 150).flatMap(aboutOf));
      for (const seed of seeds(unseen.from, 20)) expect(aboutOf(seed).some((about) => !trained.has(about))).toBe(true);
    }
  });

  it("exists in every corner of the specification", { tags: "soak" }, () => {
    for (const family of ["custom", "coin", "treasure", "cooking"])
      for (const rooms of [1, 2, 20])
        for (const questLength of [1, 5, 20])
          for (const seed of [0, seen.from, unseen.from]) {
            const spec = specOf({ family, rooms, questLength, objects: 1, doors: rooms === 2 ? "none" : "locked" });
            expect(generateTask(spec, seed).game.quests.length).toBeGreaterThan(0);
          }
  });

  it("has walkthroughs of the length asked for where the world allows it", () => {
    for (const questLength of [1, 2, 4, 8, 12]) {
      const lengths = seeds(0, 10).map(
        (seed) => generateTask(specOf({ rooms: 4, objects: 6, questLength }), seed).walkthrough.length,
      );
      expect(lengths).toEqual(lengths.map(() => questLength));
    }
  });
});

describe("a map", () => {
  it("connects all its rooms, each passage one step on the grid", () => {
    for (const seed of seeds(0, 40)) {
      const layout = walkLayout(8, split(seed, "map"));
      const reached = new Set([0]);
      for (let size = 0; size < reached.size;) {
        size = reached.size;
        for (const { from, to } of layout.passages) if (reached.has(from) || reached.has(to)) reached.add(from).add(to);
      }
      expect(reached.size).toBe(8);
    }
  });

  it("knows the rooms without which it falls apart", () => {
    const line = {
      numRooms: 4,
      passages: [0, 1, 2].map((from) => ({ from, direction: "east" as const, to: from + 1 })),
    };
    expect(articulationRooms(line)).toEqual([1, 2]);
    const ring = { numRooms: 4, passages: [...line.passages, { from: 3, direction: "west" as const, to: 0 }] };
    expect(articulationRooms(ring)).toEqual([]);
  });

  it("grows a chain with dead ends beside it", () => {
    const layout = chainLayout(5, 12, split(1, "chain"));
    expect(layout?.numRooms).toBe(12);
    expect(layout?.passages.slice(0, 4).map(({ from, to }) => [from, to])).toEqual([
      [0, 1],
      [1, 2],
      [2, 3],
      [3, 4],
    ]);
    expect(layout?.passages).toHaveLength(11);
  });
});
