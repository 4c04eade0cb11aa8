import { knives, lamps, sliceable, treatmentNames, treatments, canContain, type Treatment } from "./kinds.ts";
import { heldObject, receptaclesHere, type State, type World } from "./world.ts";

/** An ALFWorld command in parsed form. Numbers are indices into `World.receptacles` and `World.objects`. */
export type Command =
  | { readonly verb: "look" | "inventory" | "help" }
  | { readonly verb: "go" | "open" | "close" | "examineReceptacle"; readonly receptacle: number }
  | { readonly verb: "take" | "move" | Treatment; readonly object: number; readonly receptacle: number }
  | { readonly verb: "use" | "examineObject"; readonly object: number }
  | { readonly verb: "slice"; readonly object: number; readonly knife: number };

/** Lists every command that is possible in this state, in alphabetical order. */
export function possibleCommands(state: State): { text: string; command: Command }[] {
  const { world, location, places, isOpen } = state;
  const { receptacles, objects } = world;
  const found: { text: string; command: Command }[] = [
    { text: "look", command: { verb: "look" } },
    { text: "inventory", command: { verb: "inventory" } },
    { text: "help", command: { verb: "help" } },
  ];
  const add = (text: string, command: Command): void => void found.push({ text, command });
  for (const [receptacle, { name, location: where }] of receptacles.entries()) {
    if (where !== location) add(`go to ${name}`, { verb: "go", receptacle });
  }
  const inHand = heldObject(state);
  const held = objects[inHand];
  if (held) add(`examine ${held.name}`, { verb: "examineObject", object: inHand });
  for (const receptacle of receptaclesHere(state)) {
    const { name = "", kind = "", isOpenable = false } = receptacles[receptacle] ?? {};
    add(`examine ${name}`, { verb: "examineReceptacle", receptacle });
    const isAccessible = isOpen[receptacle] === true;
    if (isOpenable) {
      add(`${isAccessible ? "close" : "open"} ${name}`, { verb: isAccessible ? "close" : "open", receptacle });
    }
    for (const [object, { name: thing, kind: what }] of objects.entries()) {
      if (places[object] !== receptacle) continue;
      if (lamps.has(what)) add(`use ${thing}`, { verb: "use", object });
      else if (inHand === -1 && isAccessible) {
        add(`take ${thing} from ${name}`, { verb: "take", object, receptacle });
      }
    }
    if (!held) continue;
    if (isAccessible && canContain[kind]?.includes(held.kind) === true) {
      add(`move ${held.name} to ${name}`, { verb: "move", object: inHand, receptacle });
    }
    for (const verb of treatmentNames) {
      const { at, kinds } = treatments[verb];
      if (at === kind && kinds.has(held.kind)) {
        add(`${verb} ${held.name} with ${name}`, { verb, object: inHand, receptacle });
      }
    }
  }
  if (held && knives.has(held.kind)) {
    for (const [object, { name, kind }] of objects.entries()) {
      if (!sliceable.has(kind) || state.putDown[object] !== location) continue;
      add(`slice ${name} with ${held.name}`, { verb: "slice", object, knife: inHand });
    }
  }
  return found.sort((a, b) => (a.text < b.text ? -1 : 1));
}

/** Returns the command that a text names, even if the current state does not allow it. */
export function parseCommand(world: World, text: string): Command | undefined {
  if (text === "look" || text === "inventory" || text === "help") return { verb: text };
  const [verb = "", ...rest] = text.split(" ");
  const nameAt = (from: number): string => `${rest[from] ?? ""} ${rest[from + 1] ?? ""}`;
  const receptacleAt = (from: number): number | undefined => world.receptacleOf.get(nameAt(from));
  const objectAt = (from: number): number | undefined => world.objectOf.get(nameAt(from));
  if (rest.length === 2) {
    const [receptacle, object] = [receptacleAt(0), objectAt(0)];
    if (verb === "use") return object === undefined ? undefined : { verb, object };
    if (verb === "examine" && object !== undefined) return { verb: "examineObject", object };
    if (receptacle === undefined) return undefined;
    if (verb === "examine") return { verb: "examineReceptacle", receptacle };
    return verb === "open" || verb === "close" ? { verb, receptacle } : undefined;
  }
  if (rest.length === 3) {
    const receptacle = receptacleAt(1);
    return verb === "go" && rest[0] === "to" && receptacle !== undefined ? { verb, receptacle } : undefined;
  }
  if (rest.length !== 5) return undefined;
  const [object, word, receptacle, knife] = [objectAt(0), rest[2], receptacleAt(3), objectAt(3)];
  if (object === undefined) return undefined;
  if (verb === "slice") return word === "with" && knife !== undefined ? { verb, object, knife } : undefined;
  if (receptacle === undefined) return undefined;
  if (verb === "take") return word === "from" ? { verb, object, receptacle } : undefined;
  if (verb === "move") return word === "to" ? { verb, object, receptacle } : undefined;
  const isTreatment = verb === "clean" || verb === "heat" || verb === "cool";
  return isTreatment && word === "with" ? { verb, object, receptacle } : undefined;
}

/** True if the state meets the preconditions of the command in ALFWorld's PDDL domain. */
export function isPossible(state: State, command: Command): boolean {
  const { world, location, places, isOpen } = state;
  const isHere = (receptacle: number): boolean => world.receptacles[receptacle]?.location === location;
  const kindOf = (object: number): string => world.objects[object]?.kind ?? "";
  const containerOf = (receptacle: number): string => world.receptacles[receptacle]?.kind ?? "";
  const inHand = heldObject(state);
  switch (command.verb) {
    case "look":
    case "inventory":
    case "help":
      return true;
    case "go":
      return !isHere(command.receptacle);
    case "examineReceptacle":
      return isHere(command.receptacle);
    case "open":
    case "close": {
      const { receptacle, verb } = command;
      const isOpenable = world.receptacles[receptacle]?.isOpenable === true;
      return isHere(receptacle) && isOpenable && isOpen[receptacle] === (verb === "close");
    }
    case "take": {
      const { object, receptacle } = command;
      const isThere = places[object] === receptacle && isHere(receptacle) && isOpen[receptacle] === true;
      return inHand === -1 && isThere && !lamps.has(kindOf(object));
    }
    case "move": {
      const { object, receptacle } = command;
      const fits = canContain[containerOf(receptacle)]?.includes(kindOf(object)) === true;
      return inHand === object && isHere(receptacle) && isOpen[receptacle] === true && fits;
    }
    case "clean":
    case "heat":
    case "cool": {
      const { object, receptacle, verb } = command;
      const { at, kinds } = treatments[verb];
      return inHand === object && isHere(receptacle) && containerOf(receptacle) === at && kinds.has(kindOf(object));
    }
    case "use":
      return lamps.has(kindOf(command.object)) && isHere(places[command.object] ?? -1);
    case "examineObject":
      return inHand === command.object;
    case "slice": {
      const { object, knife } = command;
      const isNear = state.putDown[object] === location;
      return inHand === knife && knives.has(kindOf(knife)) && sliceable.has(kindOf(object)) && isNear;
    }
  }
}
