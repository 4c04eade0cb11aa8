import type { Moment } from "#server/playground/play.ts";
import { readDescription, readList, type Condition, type Description } from "./readDescription.ts";

/** The room of TextWorld that the player is in, read from the texts of the episode. */
export type Scene = Description & {
  /** Names of carried objects; undefined if no text gives them. */
  carried: readonly string[] | undefined;
};

/** The scene at a moment of an episode; undefined if the last description of a room cannot be parsed. */
export function readScene({
  observation,
  turns,
  admissible,
}: Pick<Moment, "observation" | "turns" | "admissible">): Scene | undefined {
  const texts = [...turns.map((turn) => turn.observation), observation];
  const from = texts.findLastIndex((text) => header.test(text));
  const described = texts[from];
  const room = described === undefined ? undefined : readPrinted(described);
  if (room === undefined) return undefined;
  return { ...texts.slice(from + 1).reduce(applyAnswer, room), carried: readCarried(observation, admissible) };
}

const header = /-= (.+?) =-(?:\n|$)/;

/** Description within an answer: the text after the header and before the inventory and the score change. */
function readPrinted(text: string): Description | undefined {
  const [, name = ""] = header.exec(text) ?? [];
  const body = text.slice(text.search(header)).replace(header, "");
  return readDescription(name, body.split(/\s*(?:You are carrying|Your score has just gone up|\*\*\* )/, 1)[0] ?? "");
}

/** The player carries the objects that an admissible action drops. Without admissible actions the text may list them. */
function readCarried(observation: string, admissible: readonly string[]): readonly string[] | undefined {
  if (admissible.length > 0) {
    return admissible.flatMap((action) => /^drop (.+)$/.exec(action)?.[1] ?? []);
  }
  const [, list] = /^You are carrying(?:: (.+)\.| nothing\.)$/m.exec(observation) ?? [];
  if (list !== undefined) return readList(list);
  return observation.includes("You are carrying nothing.") ? [] : undefined;
}

/** The room after an answer; few answers change it. */
function applyAnswer(room: Description, answer: string): Description {
  const [, verb = "", name = "", , revealed] =
    /^You (open|close|unlock|lock) (?:the )?(.+?)(, revealing (.+?))?\.(?:\s|$)/.exec(answer) ?? [];
  const condition = conditions[verb];
  if (condition) return setCondition(room, { name, condition, revealed });
  const [, taken, from] = /^You take the (.+?) from the (.+?)\.(?:\s|$)/.exec(answer) ?? [];
  if (taken !== undefined) return changeThings(room, from, (things) => without(things, taken));
  const [, put, onto] = /^You put the (.+?) (?:on|into) the (.+?)\.(?:\s|$)/.exec(answer) ?? [];
  if (put !== undefined) return changeThings(room, onto, (things) => [...things, put]);
  const [, lifted] = /^You pick up the (.+?) from the ground\.(?:\s|$)/.exec(answer) ?? [];
  if (lifted !== undefined) return { ...room, floor: without(room.floor, lifted) };
  const [, dropped] = /^You drop the (.+?) on the ground\.(?:\s|$)/.exec(answer) ?? [];
  return dropped === undefined ? room : { ...room, floor: [...room.floor, dropped] };
}

const conditions: Readonly<Record<string, Condition>> = {
  open: "open",
  close: "closed",
  unlock: "closed",
  lock: "locked",
};

type Turned = { name: string; condition: Condition; revealed: string | undefined };

/** A closed container hides its contents. */
function setCondition(room: Description, { name, condition, revealed }: Turned): Description {
  const things = revealed === undefined ? [] : readList(revealed);
  return {
    ...room,
    furniture: room.furniture.map((one) => (one.name === name ? { ...one, condition, things } : one)),
    exits: room.exits.map((exit) => (exit.door?.name === name ? { ...exit, door: { name, condition } } : exit)),
  };
}

function changeThings(
  room: Description,
  name: string | undefined,
  change: (things: readonly string[]) => readonly string[],
): Description {
  return {
    ...room,
    furniture: room.furniture.map((one) => (one.name === name ? { ...one, things: change(one.things) } : one)),
  };
}

/** A list may name the state of a food, the answer to an action does not: `raw egg`, `egg`. */
function without(things: readonly string[], name: string): readonly string[] {
  const at = things.findIndex((thing) => thing === name || thing.endsWith(` ${name}`));
  return things.filter((_, i) => i !== at);
}
