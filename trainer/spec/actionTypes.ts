/** Kinds of actions in each environment. This file imports no schemas, which would be large in a browser. */

export type ActionType = {
  /** Lower-case letter of the type in a trace. */
  letter: string;
  name: string;
  meaning: string;
  /** Pattern of the actions of this type, in lower case. The first type whose pattern matches counts. */
  pattern: RegExp;
};

const type = (...[letter, name, meaning, pattern]: [string, string, string, RegExp]): ActionType => {
  return { letter, name, meaning, pattern };
};

/** Type of every action that the environment does not accept, and of actions without a valid format. */
export const invalidType: ActionType = type(
  "x",
  "Invalid",
  "The response has no valid format, or its action is none of the environment's.",
  /(?:)/,
);

/** Types of actions by the environment's id. */
export const actionTypes = {
  sokoban: [
    type("u", "Up", "Moves up, or pushes a box up.", /^up$/),
    type("d", "Down", "Moves down, or pushes a box down.", /^down$/),
    type("l", "Left", "Moves left, or pushes a box to the left.", /^left$/),
    type("r", "Right", "Moves right, or pushes a box to the right.", /^right$/),
    type("s", "Still", "Does nothing in this turn.", /^still$/),
  ],
  alfworld: [
    type("g", "Go", "Goes to another piece of furniture.", /^go to /),
    type("t", "Take", "Takes an object from where it lies.", /^take /),
    type("m", "Put", "Puts the object in hand into or onto a piece of furniture.", /^(move|put) /),
    type("o", "Open", "Opens a piece of furniture.", /^open /),
    type("c", "Close", "Closes a piece of furniture.", /^close /),
    type("w", "Clean", "Cleans the object in hand.", /^clean /),
    type("h", "Heat", "Heats the object in hand.", /^heat /),
    type("k", "Cool", "Cools the object in hand.", /^cool /),
    type("s", "Slice", "Slices an object with the knife in hand.", /^slice /),
    type("u", "Use", "Switches a lamp on.", /^use /),
    type("e", "Examine", "Examines a piece of furniture or the object in hand.", /^examine /),
    type("l", "Look", "Looks around.", /^look$/),
    type("i", "Inventory", "Lists the object in hand.", /^inventory$/),
    type("a", "Help", "Lists the commands.", /^help$/),
  ],
  webshop: [
    type("s", "Search", "Searches for products.", /^search\[/),
    type("n", "Next page", "Turns to the next page of results.", /^click\[next >\]$/),
    type("p", "Previous page", "Goes back to the page before.", /^click\[< prev\]$/),
    type("r", "Back to search", "Goes back to the search page.", /^click\[back to search\]$/),
    type(
      "d",
      "Details",
      "Reads a product's description, features, reviews or attributes.",
      /^click\[(description|features|reviews|attributes)\]$/,
    ),
    type("b", "Buy", "Buys the product, which ends the episode.", /^click\[buy now\]$/),
    type("i", "Open product", "Opens a product of the results.", /^click\[(b[0-9a-z]{9}|item\d+)\]$/),
    type("o", "Option", "Chooses an option of a product, or clicks on something that the page lacks.", /^click\[/),
  ],
  textworld: [
    type("g", "Go", "Goes to another room.", /^(go |n$|s$|e$|w$|north$|south$|east$|west$)/),
    type("t", "Take", "Takes a thing.", /^(take|get|pick) /),
    type("d", "Drop", "Drops a thing on the floor.", /^drop /),
    type("p", "Put", "Puts a thing into or onto another.", /^(put|insert) /),
    type("o", "Open", "Opens a door or a container.", /^open /),
    type("c", "Close", "Closes a door or a container.", /^close /),
    type("u", "Unlock", "Unlocks a door or a container with a key.", /^unlock /),
    type("k", "Lock", "Locks a door or a container with a key.", /^lock /),
    type("e", "Eat or drink", "Eats or drinks a thing.", /^(eat|drink) /),
    type("h", "Cook", "Cooks an ingredient.", /^cook /),
    type("q", "Cut", "Chops, slices or dices an ingredient.", /^(chop|slice|dice) /),
    type("m", "Prepare meal", "Prepares the meal of the recipe.", /^prepare meal$/),
    type("a", "Examine", "Examines a thing.", /^(examine|x|look at) /),
    type("l", "Look", "Looks around in the room.", /^(look|l)$/),
    type("i", "Inventory", "Lists the things that the player carries.", /^(inventory|i)$/),
  ],
  tirMath: [
    type("c", "Run code", "Runs a Python program.", /```/),
    type("a", "Answer", "Gives the final answer in a box, which ends the episode.", /\\boxed\{/),
  ],
  sweGym: [
    type("l", "List", "Lists the files of a folder.", /^ls\b/),
    type("s", "Search", "Searches the repository for a text.", /^search\b/),
    type("v", "View", "Views a file.", /^(view\b|str_replace_editor\s+view\b)/),
    type("u", "Undo", "Takes back the last edit of a file.", /^str_replace_editor\s+undo_edit\b/),
    type("e", "Edit", "Changes or creates a file.", /^(edit\b|str_replace_editor\b)/),
    type("t", "Test", "Runs the tests.", /^test\b/),
    type("b", "Submit", "Submits the repair, which ends the episode.", /^submit$/),
  ],
} as const satisfies Record<string, readonly ActionType[]>;

/** Returns the types of an environment's actions, the invalid type last. Unknown environments have only that one. */
export function typesIn(environment: string): readonly ActionType[] {
  const own: readonly ActionType[] = Object.entries(actionTypes).find(([id]) => id === environment)?.[1] ?? [];
  return [...own, invalidType];
}

/** Returns the letter of an action's type. */
export function letterOf(types: readonly ActionType[], action: string): string {
  const text = action.trim().toLowerCase();
  return types.find(({ pattern }) => pattern.test(text))?.letter ?? invalidType.letter;
}
