import type { TextWorldSpec } from "#trainer/spec/environments/textworld.ts";
import type { Rng } from "#trainer/spec/rng.ts";
import type { Condition } from "../game.ts";
import { chainBackwards } from "./chain.ts";
import { assignNames } from "./assignNames.ts";
import { pick } from "../../chance.ts";
import { addThing, isOnFloor, type Draft, type Location } from "./draft.ts";
import { makeGrid } from "./house.ts";
import { namesFor } from "./names.ts";
import { finish, type Generated } from "./quest.ts";

/** Generates a treasure-hunter game: taking the wrong object loses. Undefined if no quest was found. */
export function generateTreasure(spec: TextWorldSpec, questLength: number, rng: Rng): Generated | undefined {
  const { layout, draft } = makeGrid(spec, rng, true);
  const kinds = ["object", "food"] as const;
  let now = addThing(draft, { kind: pick(kinds, rng), location: "inventory" }).draft;
  for (let i = 0; i < spec.distractors; i++) now = addFurniture(now, rng);
  const wrong = now.things.length;
  now = addThing(now, { kind: pick(kinds, rng), location: pick(locationsOf(now), rng) }).draft;
  const chain = chainBackwards(
    { ...now, player: rng.int(spec.rooms) },
    {
      length: questLength,
      last: ["take", "take from"],
      verbs: ["go", "take", "take from", ...(spec.doors === "none" ? [] : (["open", "unlock"] as const))],
      invents: spec.doors === "locked" ? ["key"] : [],
    },
    rng,
  );
  if (chain === undefined) return undefined;
  const names = namesFor(spec.names, { rooms: spec.rooms, things: numTreasureThings({ ...spec, questLength }) });
  const named = assignNames(chain.start, chain.steps, { layout, names, rng });
  const isBig = chain.start.things.length > numTreasureThings({ ...spec, questLength });
  return named === undefined || isBig
    ? undefined
    : finish(named, { spec, rng, forbidden: named.blueprint.things[wrong]?.id });
}

/** Returns the maximum number of things: two objects, the furniture, and a key for every second step. */
export function numTreasureThings({
  distractors,
  questLength,
}: Pick<TextWorldSpec, "distractors" | "questLength">): number {
  return 2 + distractors + Math.floor(questLength / 2);
}

function addFurniture(draft: Draft, rng: Rng): Draft {
  const location = { room: rng.int(draft.exits.length) };
  if (rng.next() < 0.5) return addThing(draft, { kind: "supporter", location }).draft;
  const condition = pick<Condition>(["open", "closed", "locked"], rng);
  return addThing(draft, { kind: "container", location, condition }).draft;
}

/** Returns all positions where an object can be: the floors and the furniture of all rooms. */
function locationsOf(draft: Draft): readonly Location[] {
  return [...draft.exits.keys()].flatMap((room): Location[] => [
    { room },
    ...[...draft.things.keys()].filter((thing) => isOnFloor(draft, thing, room)).map((thing) => ({ thing })),
  ]);
}
