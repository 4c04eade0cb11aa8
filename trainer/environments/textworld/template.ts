import {
  isContainer,
  kindOf,
  type Food,
  type Game,
  type Text,
  type TextBranch,
  type TextPiece,
  type TextTest,
  type World,
} from "./game.ts";

/**
 * Compiles a description in TextWorld's grammar, such as: `You see [if c_0 is open]an open[otherwise]a closed[end if]
 * chest.[if there is something on the s_1] …[end if]`.
 * @param indexOf returns the entity of an id
 * @param self entity to which `[if open]` refers
 */
export function compileText(source: string, indexOf: (id: string) => number, self: number): Text {
  const parts = source.split(/(\[[^\]]*\])/).filter((part) => part !== "");
  let at = 0;
  const compileUntil = (isEnd: (part: string) => boolean): Text => {
    const pieces: TextPiece[] = [];
    for (; at < parts.length;) {
      const part = parts[at] ?? "";
      if (isEnd(part)) break;
      at++;
      if (part.startsWith("[if ")) pieces.push({ branches: compileBranches(part) });
      else pieces.push(part.startsWith("[") ? compileList(part) : part);
    }
    return pieces;
  };
  const compileBranches = (first: string): readonly TextBranch[] => {
    const branches: TextBranch[] = [];
    for (let head = first; head !== "[end if]" && head !== "";) {
      const when = head === "[otherwise]" ? [] : toTests(head.replace(/^\[(else )?if /, "").slice(0, -1));
      branches.push({ when, text: compileUntil((part) => /^\[(else if .*|otherwise|end if)\]$/.test(part)) });
      head = parts[at++] ?? "";
    }
    return branches;
  };
  const compileList = (part: string): TextPiece => {
    if (part === "[noun]") return { name: self };
    const id = /^\[a list of things (?:in|on) the (.*)\]$/.exec(part)?.[1];
    return id === undefined ? part : { list: indexOf(id) };
  };
  const toTests = (condition: string): readonly TextTest[] =>
    condition.split(" and ").map((clause): TextTest => {
      const [, something, inside] = /^there is (something|nothing) (?:in|on) the (.*)$/.exec(clause) ?? [];
      if (inside !== undefined) return { of: indexOf(inside), is: something === "something" ? "filled" : "empty" };
      const [, container] = /^the (.*) contains nothing$/.exec(clause) ?? [];
      if (container !== undefined) return { of: indexOf(container), is: "empty" };
      const [, id, state] = /^(?:(.*) is )?(open|closed|locked)$/.exec(clause) ?? [];
      if (state !== "open" && state !== "closed" && state !== "locked")
        throw new Error(`"${clause}" is no condition of a description`);
      return { of: id === undefined ? self : indexOf(id), is: state };
    });
  return compileUntil(() => false);
}

export function renderText(text: Text, game: Game, world: World): string {
  let rendered = "";
  for (const piece of text) {
    if (typeof piece === "string") rendered += piece;
    else if ("name" in piece) rendered += describeName(game, world, piece.name);
    else if ("list" in piece) rendered += listThings(game, world, world.contents[piece.list] ?? []);
    else {
      const branch = piece.branches.find(({ when }) => when.every((test) => passes(test, world)));
      if (branch !== undefined) rendered += renderText(branch.text, game, world);
    }
  }
  return rendered;
}

/** True if a condition in a description holds in this world. A locked thing also counts as closed. */
function passes({ of, is }: TextTest, world: World): boolean {
  switch (is) {
    case "open":
    case "locked":
      return world.conditions[of] === is;
    case "closed":
      return world.conditions[of] !== "open";
    case "filled":
      return (world.contents[of] ?? []).length > 0;
    case "empty":
      return (world.contents[of] ?? []).length === 0;
  }
}

/** Joins names with articles, without a comma before the last: `a note, an old key and some milk`. */
export function listThings(game: Game, world: World, things: readonly number[]): string {
  const names = things.map((thing) => withArticle(game, world, thing));
  const last = names.at(-1) ?? "nothing";
  return names.length < 2 ? last : `${names.slice(0, -1).join(", ")} and ${last}`;
}

function withArticle(game: Game, world: World, thing: number): string {
  const name = describeName(game, world, thing);
  const article = game.entities[thing]?.article ?? (/^[aeiou]/i.test(name) ? "an" : "a");
  return `${article} ${name}`;
}

/** Returns the name of a food with its treatments: `diced fried potato`, `raw egg`, `burned carrot`. */
export function describeName(game: Game, world: World, thing: number): string {
  const name = game.entities[thing]?.name ?? "";
  const food = world.foods[thing];
  if (food === undefined) return name;
  const cutting = food.cutting === undefined || food.cutting === "uncut" ? "" : `${food.cutting} `;
  return `${cutting}${heatWord(food)}${name}`;
}

function heatWord({ heat, cooking }: Food): string {
  if (heat === "needs cooking") return "raw ";
  if (heat === "burned") return "burned ";
  return cooking === undefined ? "" : `${cooking} `;
}

/** Returns the sentence about a holder's visible contents that `examine` appends; empty if there are none. */
export function describeContents(game: Game, world: World, holder: number): string {
  const things = world.contents[holder] ?? [];
  const isInside = isContainer(kindOf(game, holder));
  if (things.length === 0 || (isInside && world.conditions[holder] !== "open")) return "";
  const verb = things.length === 1 ? "is" : "are";
  return `${isInside ? "In" : "On"} the ${describeName(game, world, holder)} ${verb} ${listThings(game, world, things)}.`;
}
