import type { TextWorldSpec } from "#trainer/spec/environments/textworld.ts";
import type { Rng } from "#trainer/spec/rng.ts";
import type { Condition } from "../game.ts";
import { opposite } from "./blueprint.ts";
import { pick } from "./chance.ts";
import type { Draft } from "./draft.ts";
import { articulationRooms, walkLayout, type Layout } from "./layout.ts";

const conditions: Readonly<Record<TextWorldSpec["doors"], readonly Condition[]>> = {
  none: [],
  closed: ["open", "closed"],
  locked: ["open", "closed", "locked"],
};

/** A random map with a door between each two adjacent articulation rooms, and nothing in it. */
export function makeGrid(
  { rooms, doors }: Pick<TextWorldSpec, "rooms" | "doors">,
  rng: Rng,
  isOpen = false,
): { layout: Layout; draft: Draft } {
  const layout = walkLayout(rooms, rng);
  const joints = new Set(doors === "none" ? [] : articulationRooms(layout));
  const exits = Array.from({ length: rooms }, (): Draft["exits"][number][number][] => []);
  const built: { condition: Condition }[] = [];
  for (const { from, direction, to } of layout.passages) {
    const hasDoor = joints.has(from) && joints.has(to);
    const door = hasDoor ? { door: built.length } : {};
    if (hasDoor) built.push({ condition: isOpen ? "open" : pick(conditions[doors], rng) });
    exits[from]?.push({ direction, room: to, ...door });
    exits[to]?.push({ direction: opposite[direction], room: from, ...door });
  }
  return { layout, draft: { exits, doors: built, things: [], player: 0 } };
}
