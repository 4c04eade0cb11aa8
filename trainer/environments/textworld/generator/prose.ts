import { countWords } from "../words.ts";
import type { Rng } from "#trainer/spec/rng.ts";
import type { Thing, Writer } from "./blueprint.ts";
import { pick } from "../../chance.ts";

/** Alternative wordings of descriptions. `NAME` is replaced by a thing's name, `AT` by its id, `WAY` by a direction. */
type Style = {
  readonly intros: readonly string[];
  readonly furniture: readonly string[];
  readonly openable: readonly string[];
  readonly filledContainer: readonly string[];
  readonly emptyContainer: readonly string[];
  readonly filledSupporter: readonly string[];
  readonly emptySupporter: readonly string[];
  readonly doors: readonly string[];
  readonly exits: readonly string[];
  readonly things: readonly string[];
  readonly breaks: string;
};

const condition = "[if AT is locked]a locked[else if AT is open]an open[otherwise]a closed[end if]";
const doorCondition = "[if AT is open]an open[otherwise]a closed[end if]";

const compact: Style = {
  intros: [""],
  furniture: ["You see A NAME."],
  openable: [`You see ${condition} NAME.`],
  filledContainer: ["It holds [a list of things in the AT]."],
  emptyContainer: [""],
  filledSupporter: ["On it is [a list of things on the AT]."],
  emptySupporter: [""],
  doors: [`There is ${doorCondition} NAME leading WAY.`],
  exits: ["There is an exit to the WAY."],
  things: ["It is A NAME."],
  breaks: " ",
};

const rich: Style = {
  intros: [
    "You have come into A NAME.",
    "This is A NAME, and an ordinary one at that.",
    "You find yourself in A NAME. You have a look around.",
    "So this is the NAME. It could be worse.",
  ],
  furniture: ["You see A NAME.", "You can make out A NAME.", "There is A NAME over by the wall.", "You notice A NAME."],
  openable: [
    `You see ${condition} NAME.`,
    `You can make out ${condition} NAME.`,
    `There is ${condition} NAME in the corner.`,
    `You notice ${condition} NAME.`,
  ],
  filledContainer: [
    "The NAME contains [a list of things in the AT].",
    "In the NAME you see [a list of things in the AT].",
  ],
  emptyContainer: ["The NAME is empty, what a pity!", "There is nothing in it at all."],
  filledSupporter: [
    "On the NAME you see [a list of things on the AT].",
    "The NAME carries [a list of things on the AT].",
  ],
  emptySupporter: ["But there is nothing on it.", "The NAME is bare."],
  doors: [`There is ${doorCondition} NAME leading WAY.`, `To the WAY you see ${doorCondition} NAME.`],
  exits: [
    "There is an exit to the WAY. It is not blocked.",
    "You could also go WAY, nothing is in the way.",
    "The way WAY is free.",
  ],
  things: ["The NAME looks quite ordinary.", "It is A NAME, nothing more.", "Somebody has used the NAME before."],
  breaks: "\n\n",
};

/** Makes a writer of room descriptions. Compact prose has one wording; rich prose samples a wording from `rng`. */
export function makeWriter(prose: "compact" | "rich", rng: Rng): Writer {
  const style = prose === "compact" ? compact : rich;
  const write = (wordings: readonly string[], { name, id = "" }: { name: string; id?: string }, way = ""): string =>
    pick(wordings, rng)
      .replaceAll("A NAME", `${/^[aeiou]/.test(name) ? "an" : "a"} ${name}`)
      .replaceAll("NAME", name)
      .replaceAll("AT", id)
      .replaceAll("WAY", way);
  const describeFurniture = (thing: Thing): string => {
    const isSupporter = thing.kind === "supporter" || thing.kind === "stove";
    if (isSupporter || thing.condition === undefined) {
      const filled = write(style.filledSupporter, thing);
      const empty = write(style.emptySupporter, thing);
      const contents = isSupporter
        ? conditional(`there is something on the ${thing.id}`, filled) +
          conditional(`there is nothing on the ${thing.id}`, empty)
        : "";
      return `${write(style.furniture, thing)}${contents}`;
    }
    const filled = write(style.filledContainer, thing);
    const empty = write(style.emptyContainer, thing);
    return `${write(style.openable, thing)}${conditional(
      `${thing.id} is open and there is something in the ${thing.id}`,
      filled,
    )}${conditional(`${thing.id} is open and the ${thing.id} contains nothing`, empty)}`;
  };
  return {
    paragraph: style.breaks,
    describeRoom(room, { furniture, exits }) {
      const ways = exits.map(({ direction, door }) =>
        door === undefined ? write(style.exits, room, direction) : write(style.doors, door, direction),
      );
      const parts = [write(style.intros, room), furniture.map(describeFurniture).join(" "), ways.join(" ")];
      return parts.filter((part) => part !== "").join(style.breaks);
    },
    describeThing: (thing) => write(style.things, thing),
  };
}

function conditional(condition: string, sentence: string): string {
  return sentence === "" ? "" : `[if ${condition}] ${sentence}[end if]`;
}

/** Returns maximum words of a room's first sentence, of a piece of furniture with its contents, and of an exit. */
export function proseSizes(
  prose: "compact" | "rich",
  name: string,
): { intro: number; furniture: number; exit: number } {
  const style = prose === "compact" ? compact : rich;
  const longest = (wordings: readonly string[]): number =>
    Math.max(
      ...wordings.map((text) =>
        countWords(
          text
            .replaceAll(/\[if.*\[end if\]/g, "a closed")
            .replaceAll(/\[a list[^\]]*\]/g, "")
            .replaceAll("NAME", name),
        ),
      ),
    );
  const container = longest(style.openable) + Math.max(longest(style.filledContainer), longest(style.emptyContainer));
  const supporter = longest(style.furniture) + Math.max(longest(style.filledSupporter), longest(style.emptySupporter));
  return {
    intro: longest(style.intros) + 2 * countWords(style.breaks),
    furniture: Math.max(container, supporter),
    exit: Math.max(longest(style.doors), longest(style.exits)),
  };
}

/** Returns every wording of descriptions in a style, for a small policy's vocabulary. */
export function proseTexts(prose: "compact" | "rich"): readonly string[] {
  const { breaks, ...wordings } = prose === "compact" ? compact : rich;
  return [
    ...Object.values(wordings)
      .flat()
      .map((text) => text.replaceAll(/\[[^\]]*\]/g, " ").replaceAll(/\b(?:NAME|AT|WAY|A)\b/g, " ")),
    "a an the locked open closed",
    breaks,
  ];
}
