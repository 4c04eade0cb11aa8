import { isPossible, parseCommand, type Command } from "./command.ts";
import { examineHeld, examineReceptacle, help, inventory, look, nothingHappens } from "./text.ts";
import { held, type State } from "./world.ts";

/** Executes a text command. A text that is not exactly a possible command changes nothing. */
export function act(state: State, text: string): { state: State; observation: string } {
  const command = parseCommand(state.world, text.trim());
  if (!command || !isPossible(state, command)) return { state, observation: nothingHappens };
  return perform(state, command);
}

function perform(state: State, command: Command): { state: State; observation: string } {
  const { receptacles, objects } = state.world;
  const receptacle = "receptacle" in command ? command.receptacle : -1;
  const object = "object" in command ? command.object : -1;
  const [where, what] = [receptacles[receptacle]?.name ?? "", objects[object]?.name ?? ""];
  const answer = (observation: string, change: Partial<State> = {}) => ({
    state: { ...state, ...change },
    observation,
  });
  switch (command.verb) {
    case "look":
      return answer(look(state));
    case "inventory":
      return answer(inventory(state));
    case "help":
      return answer(help);
    case "examineObject":
      return answer(examineHeld(state, object));
    case "examineReceptacle":
      return inspect(state, receptacle, "");
    case "go":
      return inspect(
        { ...state, location: receptacles[receptacle]?.location ?? state.location },
        receptacle,
        `You arrive at ${where}. `,
      );
    case "open":
      return inspect({ ...state, isOpen: state.isOpen.with(receptacle, true) }, receptacle, `You open the ${where}. `);
    case "close":
      return answer(`You close the ${where}.`, { isOpen: state.isOpen.with(receptacle, false) });
    case "take":
      return answer(`You pick up the ${what} from the ${where}.`, {
        places: state.places.with(object, held),
        putDown: state.putDown.with(object, undefined),
      });
    case "move":
      return answer(`You move the ${what} to the ${where}.`, {
        places: state.places.with(object, receptacle),
        putDown: state.putDown.with(object, state.location),
      });
    case "clean":
      return answer(`You clean the ${what} using the ${where}.`, { isClean: state.isClean.with(object, true) });
    case "heat":
    case "cool": {
      const temperature = command.verb === "heat" ? "hot" : "cool";
      return answer(`You ${command.verb} the ${what} using the ${where}.`, {
        temperatures: state.temperatures.with(object, temperature),
      });
    }
    case "use":
      return answer(`You turn on the ${what}.`, { isLit: state.isLit.with(object, true) });
    case "slice":
      return answer(`You sliced the ${what} with the ${objects[command.knife]?.name ?? ""}.`, {
        isSliced: state.isSliced.with(object, true),
      });
  }
}

/** Returns a description of a receptacle's contents and marks them as seen. A closed receptacle shows no contents. */
function inspect(state: State, receptacle: number, before: string): { state: State; observation: string } {
  const isSeen = state.isOpen[receptacle] === true;
  const isInspected = isSeen ? state.isInspected.with(receptacle, true) : state.isInspected;
  return { state: { ...state, isInspected }, observation: before + examineReceptacle(state, receptacle) };
}
