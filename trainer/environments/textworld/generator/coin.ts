import type { TextWorldSpec } from "#trainer/spec/environments/textworld.ts";
import type { Rng } from "#trainer/spec/rng.ts";
import { shuffle } from "../../chance.ts";
import { chainLayout } from "./layout.ts";
import { namesFor } from "./names.ts";
import { finish, type Generated } from "./quest.ts";

/** Generates a coin-collector game: a chain of rooms with a coin at its end; undefined if the chain enclosed itself. */
export function generateCoin(spec: TextWorldSpec, questLength: number, rng: Rng): Generated | undefined {
  const layout = chainLayout(questLength, Math.max(spec.rooms, questLength), rng);
  if (layout === undefined) return undefined;
  const names = namesFor(coinNames(spec), { rooms: layout.numRooms, things: 1 });
  const rooms = shuffle(names.rooms, rng).slice(0, layout.numRooms);
  const blueprint = {
    rooms: rooms.map((name, i) => ({ id: `r_${i}`, name })),
    links: layout.passages.map(({ from, direction, to }) => ({ from: `r_${from}`, direction, to: `r_${to}` })),
    doors: [],
    things: [{ id: "o_0", kind: "object", name: "coin", holder: `r_${questLength - 1}` } as const],
    start: "r_0",
  };
  const way = layout.passages.slice(0, questLength - 1).map(({ direction }) => `go ${direction}`);
  const made = finish({ blueprint, lines: [...way, "take coin"] }, { spec, rng });
  const [first = "", last = ""] = [rooms[0], rooms[questLength - 1]];
  return made && { ...made, structure: [`coin from ${first} to ${last}`] };
}

/** Returns the pool of room names. Games of a single room need all names, to hold some out for evaluation. */
export function coinNames({ rooms, questLength, names }: TextWorldSpec): TextWorldSpec["names"] {
  return rooms === 1 && questLength === 1 ? "large" : names;
}
