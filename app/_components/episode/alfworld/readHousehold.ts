import type { Moment } from "#server/playground/play.ts";
import { readAnswer, type Fact } from "./readAnswer.ts";

export type Receptacle = {
  name: string;
  isHere: boolean;
  /** Undefined where no text says so yet: not all can be opened. */
  isOpen: boolean | undefined;
  /** What is in or on it was listed. Otherwise `objects` has only what was put there. */
  isSeen: boolean;
  objects: readonly string[];
};

/** A room of ALFWorld as far as the texts of an episode have shown it, and no further. */
export type Household = {
  receptacles: readonly Receptacle[];
  /** In the hands. */
  carried: string | undefined;
  /** What was done to an object, by its name: clean, hot, cool, sliced, on. */
  states: ReadonlyMap<string, readonly string[]>;
};

/** The room at a moment of an episode; undefined where a text is none of ALFWorld's. */
export function readHousehold({ observation, turns }: Pick<Moment, "observation" | "turns">): Household | undefined {
  const texts = [...turns.map((turn) => turn.observation), observation];
  let room: Household = { receptacles: [], carried: undefined, states: new Map() };
  for (const text of texts) {
    const facts = readAnswer(text);
    if (facts === undefined) return undefined;
    room = facts.reduce(learn, room);
  }
  return room.receptacles.length === 0 ? undefined : room;
}

function learn(room: Household, fact: Fact): Household {
  const { receptacles } = room;
  const change = (name: string, changed: (one: Receptacle) => Partial<Receptacle>): readonly Receptacle[] =>
    receptacles.map((one) => (one.name === name ? { ...one, ...changed(one) } : one));
  switch (fact.kind) {
    case "room": {
      const unknown = { isHere: false, isOpen: undefined, isSeen: false, objects: [] };
      return { ...room, receptacles: fact.receptacles.map((name) => ({ name, ...unknown })) };
    }
    case "here":
      return {
        ...room,
        receptacles: receptacles.map((one) => ({ ...one, isHere: fact.receptacles.includes(one.name) })),
      };
    case "contents":
      return { ...room, receptacles: change(fact.receptacle, () => ({ isSeen: true, objects: fact.objects })) };
    case "open":
    case "closed":
      return { ...room, receptacles: change(fact.receptacle, () => ({ isOpen: fact.kind === "open" })) };
    case "taken": {
      const without = ({ objects }: Receptacle) => ({ objects: objects.filter((name) => name !== fact.object) });
      return { ...room, carried: fact.object, receptacles: change(fact.receptacle, without) };
    }
    case "put": {
      const withIt = ({ objects }: Receptacle) => ({ objects: [...objects, fact.object] });
      return { ...room, carried: undefined, receptacles: change(fact.receptacle, withIt) };
    }
    case "carried":
      return { ...room, carried: fact.object };
    case "state":
      return { ...room, states: new Map(room.states).set(fact.object, addState(room, fact)) };
  }
}

/** What is hot is no longer cool, and the other way round. */
function addState({ states }: Household, { object, state }: Extract<Fact, { kind: "state" }>): string[] {
  const ended: string | undefined = { hot: "cool", cool: "hot" }[state];
  return [...(states.get(object) ?? []).filter((one) => one !== ended && one !== state), state];
}
