import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { AlfworldSpec } from "#trainer/spec/environments/alfworld.ts";
import { z } from "zod";
import { makeAlfworld } from "./alfworld.ts";
import { makeGoal } from "./goal.ts";
import { replayAlfworld } from "./testing/replay.ts";
import { beginState, makeWorld } from "./world.ts";

const folder = process.env.ARLARENA_GOLDEN ?? "../shared/golden";
const files = ["alfworld_11.jsonl", "alfworld_12.jsonl"].map((name) => path.join(folder, name));

describe.skipIf(!files.every((file) => existsSync(file)))("recorded games of ALFWorld (needs ../shared/golden)", () => {
  it.each(files)("%s: the same observations, admissible actions and endings at every step", (file) => {
    const records = readFileSync(file, "utf8")
      .trim()
      .split("\n")
      .map((line): unknown => JSON.parse(line));
    const { numChecks, numMatched, firstDifference } = replayAlfworld(records);
    console.log(`${path.basename(file)}: matched ${numMatched} of ${numChecks} checks`);
    expect(firstDifference).toBeUndefined();
    expect(numChecks).toBeGreaterThan(500);
    expect(numMatched).toBe(numChecks);
  });
});

it("an altered type of a receptacle or an object is noticed", () => {
  const game = {
    task_type: "pick_and_place_simple",
    object_target: "Mug",
    parent_target: "Shelf",
    toggle_target: "",
    receptacles: [
      { name: "shelf 1", type: "Shelf", location: "a" },
      { name: "desk 1", type: "Desk", location: "b" },
    ],
    objects: [{ name: "mug 1", type: "Mug", on: "desk 1" }],
    initial_obs: "",
    initial_admissible: [],
    steps: [],
  };
  const types = (change: Partial<typeof game>) => replayAlfworld([{ ...game, ...change }]).byKind["types"];
  expect(types({})).toEqual({ checks: 1, matched: 1 });
  const [, desk] = game.receptacles;
  const drawer = { name: "shelf 1", location: "a", type: "Drawer" };
  expect(types({ receptacles: [drawer, ...(desk ? [desk] : [])] })?.matched).toBe(0);
  expect(types({ objects: [{ name: "mug 1", type: "Cup", on: "desk 1" }] })?.matched).toBe(0);
});

const projections = path.join(folder, "projection.json");
const flag = z.union([z.literal(0), z.literal(1)]);
const Projections = z.object({
  cases: z.array(z.object({ text: z.string(), alfworld: z.tuple([z.string(), flag, flag]) })),
});

describe.skipIf(!existsSync(projections))("recorded readings of responses (needs ../shared/golden)", () => {
  it("give the same action and the same two flags", () => {
    const { cases } = Projections.parse(JSON.parse(readFileSync(projections, "utf8")));
    const world = makeWorld({
      receptacles: [{ kind: "desk", number: 1, location: 0 }],
      objects: [{ kind: "mug", number: 1, on: 0 }],
      goal: makeGoal({ type: "pick", object: "mug", target: "shelf" }, 0),
    });
    const state = { ...beginState(world), observation: "" };
    const alfworld = makeAlfworld(AlfworldSpec.parse({ id: "alfworld" }));
    for (const { text, alfworld: recorded } of cases) {
      const { action, isActionValid, isFormatValid } = alfworld.project(state, text);
      expect([action, Number(isActionValid), Number(isFormatValid)], text).toEqual(recorded);
    }
  });
});
