import type { Moment } from "#server/playground/play.ts";
import { readAnswer, type Fact } from "./readAnswer.ts";

export type Receptacle = {
  name: string;
  isHere: boolean;
  /** Undefined until a text says it: not every receptacle can be opened. */
  isOpen: boolean | undefined;
  /** True if a text has listed its contents. Until then `objects` has only what the player put there. */
  isSeen: boolean;
  objects: readonly string[];
};

/** A room of ALFWorld: only the facts that the texts of the episode have stated so far. */
export type Household = {
  receptacles: readonly Receptacle[];
  /** The object that the player carries. */
  carried: string | undefined;
  /** States by the name of the object: clean, hot, cool, sliced, on. */
  states: ReadonlyMap<string, readonly string[]>;
};

/** The room at a moment of an episode; undefined if a text does not come from ALFWorld. */
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

/** Heating an object ends its state `cool`, and cooling it ends `hot`. */
function addState({ states }: Household, { object, state }: Extract<Fact, { kind: "state" }>): string[] {
  const ended: string | undefined = { hot: "cool", cool: "hot" }[state];
  return [...(states.get(object) ?? []).filter((one) => one !== ended && one !== state), state];
}
