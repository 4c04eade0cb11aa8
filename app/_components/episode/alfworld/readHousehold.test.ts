import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { z } from "zod";
import { AlfworldSpec } from "#trainer/spec/environments/alfworld.ts";
import { taskSeeds } from "#trainer/spec/environment.ts";
import { makeAlfworld } from "#trainer/environments/alfworld/alfworld.ts";
import { contentsOf, heldObject, middle, type State } from "#trainer/environments/alfworld/world.ts";
import type { Moment } from "#server/playground/play.ts";
import { walk } from "../testing/walk.ts";
import { readHousehold } from "./readHousehold.ts";

const specs = {
  standard: { seeds: 16, knobs: {} },
  "a large room of hidden things": {
    seeds: 4,
    knobs: { numReceptacles: 24, numObjects: 30, closedPercent: 100, maxTurns: 50 },
  },
} as const;

it.each(Object.entries(specs))("a room is read as it is, as far as it was seen: %s", (_, { seeds, knobs }) => {
  const environment = makeAlfworld(AlfworldSpec.parse({ id: "alfworld", ...knobs }));
  const seen = { closed: 0, open: 0, treated: 0 };
  for (let seed = taskSeeds.train.from; seed < taskSeeds.train.from + seeds; seed++) {
    for (const { state, moment } of walk(environment, seed)) {
      const room = readHousehold(moment);
      const { world } = state;
      const held = heldObject(state);
      expect(room?.carried).toBe(world.objects[held]?.name);
      expect(room?.receptacles.map(({ name }) => name)).toEqual(
        world.receptacleOrder.map((i) => world.receptacles[i]?.name),
      );
      for (const [at, i] of world.receptacleOrder.entries()) {
        const read = room?.receptacles[at];
        const contents = contentsOf(state, i).flatMap((object) => world.objects[object]?.name ?? []);
        const isInspected = state.isInspected[i] === true;
        expect({ isSeen: read?.isSeen, objects: isInspected && read?.objects.toSorted() }).toEqual({
          isSeen: isInspected,
          objects: isInspected && contents.toSorted(),
        });
        if (read?.isOpen !== undefined) expect(read.isOpen).toBe(state.isOpen[i]);
        if (read?.isHere) expect(world.receptacles[i]?.location).toBe(state.location);
        seen[read?.isOpen === true ? "open" : "closed"]++;
      }
      expect(room?.receptacles.some(({ isHere }) => isHere)).toBe(state.location !== middle);
      const states = world.objects.map(({ name }, i) => [name, statesOf(state, i)] as const);
      const treated = states.filter(([, { length }]) => length > 0);
      const read = [...(room?.states ?? [])].map(([name, words]) => [name, words.toSorted()] as const);
      expect(new Map(read)).toEqual(new Map(treated));
      seen.treated += treated.length;
    }
  }
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(0);
});

function statesOf(state: State, object: number): string[] {
  return [
    ...(state.isClean[object] ? ["clean"] : []),
    ...(state.temperatures[object] === undefined ? [] : [state.temperatures[object]]),
    ...(state.isLit[object] ? ["on"] : []),
    ...(state.isSliced[object] ? ["sliced"] : []),
  ].sort();
}

it.each(["", "'Search'", "-= Kitchen =-\nYou see a stove.", "You arrive at desk 1. It is late."])(
  "other text is no room of a household: %j",
  (observation) => {
    expect(readHousehold({ observation, turns: [] })).toBeUndefined();
  },
);

const Recording = z.object({
  initial_obs: z.string(),
  steps: z.array(z.object({ cmd: z.string(), obs: z.string(), admissible: z.array(z.string()) })),
});
const golden = path.join(process.env.ARLARENA_GOLDEN ?? "../shared/golden", "alfworld_11.jsonl");

it.skipIf(!existsSync(golden))("games of the original are read too (needs ../shared/golden)", () => {
  let numCompared = 0;
  for (const line of readFileSync(golden, "utf8").trim().split("\n")) {
    const { initial_obs, steps } = Recording.parse(JSON.parse(line));
    const observations = [initial_obs.trim(), ...steps.map(({ obs }) => obs.trim())];
    for (const [i, { admissible }] of steps.entries()) {
      const turns = observations.slice(0, i + 1).map((observation) => toTurn(observation));
      const room = readHousehold({ observation: observations[i + 1] ?? "", turns });
      expect(room, observations[i + 1]).toBeDefined();
      for (const { name, isHere, isSeen, isOpen, objects } of room?.receptacles ?? []) {
        if (!isHere || !isSeen || isOpen === false || room?.carried !== undefined) continue;
        const takes = admissible.filter((action) => action.startsWith("take ") && action.endsWith(` from ${name}`));
        // Lamps are listed but cannot be taken.
        const portable = objects.filter((object) => !/^(?:desk|floor)lamp /.test(object));
        expect(takes.toSorted(byText)).toEqual(portable.map((o) => `take ${o} from ${name}`).toSorted(byText));
        numCompared++;
      }
    }
  }
  expect(numCompared).toBeGreaterThan(50);
});

function toTurn(observation: string): Moment["turns"][number] {
  return { observation, response: "", action: "", reward: 0, isFormatValid: true, isActionValid: true };
}

function byText(a: string, b: string): number {
  return a < b ? -1 : 1;
}
