export const directions = ["north", "south", "east", "west"] as const;
export type Direction = (typeof directions)[number];
export type Condition = "open" | "closed" | "locked";

export type Furniture = {
  name: string;
  /** Undefined for furniture that cannot be opened. */
  condition: Condition | undefined;
  things: readonly string[];
};
/** An exit without a door is always passable. */
export type Exit = { direction: Direction; door?: { name: string; condition: Condition } };

/** A room of TextWorld as its description states it. */
export type Description = {
  name: string;
  furniture: readonly Furniture[];
  exits: readonly Exit[];
  floor: readonly string[];
};

const way = directions.join("|");

/** Sentences that introduce furniture, with its condition if it can be opened. */
const furnitureSentences = [
  /^You (?:see|can make out|notice) (.+)\.$/,
  /^There is (.+) over by the wall\.$/,
  /^There is (.+) in the corner\.$/,
];
/** Sentences that list the contents of the furniture named last. */
const contentSentences = [
  /^It holds (.+)\.$/,
  /^On it is (.+)\.$/,
  /^(?:On|In) the .+ you see (.+)\.$/,
  /^The .+ contains (.+)\.$/,
  /^The .+ carries (.+)\.$/,
];
const exitSentences = [
  new RegExp(`^There is an exit to the (${way})\\.$`),
  new RegExp(`^You could also go (${way}), nothing is in the way\\.$`),
  new RegExp(`^The way (${way}) is free\\.$`),
];
/** Sentences without new facts. */
const idleSentences =
  /^(?:You have come into an? .+|This is an? .+, and an ordinary one at that|You find yourself in an? .+|You have a look around|So this is the .+|It could be worse|It is not blocked|The .+ is empty, what a pity|There is nothing in it at all|But there is nothing on it|The .+ is bare)[.!]$/;

/** Parses the printed description of a room; undefined if a sentence is unknown. */
export function readDescription(name: string, body: string): Description | undefined {
  const sentences = body
    .trim()
    .split(/(?<=[.!])\s+/)
    .filter((sentence) => sentence !== "");
  let room: Description = { name, furniture: [], exits: [], floor: [] };
  for (const sentence of sentences) {
    const added = addSentence(room, sentence);
    if (added === undefined) return undefined;
    room = added;
  }
  return room;
}

function addSentence(room: Description, sentence: string): Description | undefined {
  const { furniture, exits } = room;
  const exit = readDoor(sentence) ?? readExit(sentence);
  if (exit) return { ...room, exits: [...exits, exit] };
  const floor = /^There is (.+) on the floor\.$/.exec(sentence)?.[1];
  if (floor !== undefined) return { ...room, floor: readList(floor) };
  const last = furniture.at(-1);
  const contents = firstPart(contentSentences, sentence);
  if (contents !== undefined && last) {
    return { ...room, furniture: [...furniture.slice(0, -1), { ...last, things: readList(contents) }] };
  }
  if (idleSentences.test(sentence)) return room;
  const standing = firstPart(furnitureSentences, sentence);
  return standing === undefined ? undefined : { ...room, furniture: [...furniture, readFurniture(standing)] };
}

function readFurniture(text: string): Furniture {
  const name = withoutArticle(text);
  const condition = /^(open|closed|locked) /.exec(name)?.[1];
  if (!isCondition(condition)) return { name, condition: undefined, things: [] };
  return { name: name.slice(condition.length + 1), condition, things: [] };
}

function isCondition(text: string | undefined): text is Condition {
  return text === "open" || text === "closed" || text === "locked";
}

function readDoor(sentence: string): Exit | undefined {
  const leading = new RegExp(`^There is an? (open|closed) (.+) leading (${way})\\.$`).exec(sentence);
  const seen = new RegExp(`^To the (${way}) you see an? (open|closed) (.+)\\.$`).exec(sentence);
  const [condition, name, to] = leading ? leading.slice(1) : [seen?.[2], seen?.[3], seen?.[1]];
  const direction = directions.find((one) => one === to);
  if (!isCondition(condition) || name === undefined || direction === undefined) return undefined;
  return { direction, door: { name, condition } };
}

function readExit(sentence: string): Exit | undefined {
  const direction = directions.find((one) => one === firstPart(exitSentences, sentence));
  return direction && { direction };
}

function firstPart(patterns: readonly RegExp[], sentence: string): string | undefined {
  return patterns.map((pattern) => pattern.exec(sentence)?.[1]).find((part) => part !== undefined);
}

/** `a note, an old key and some milk` */
export function readList(text: string): string[] {
  return text.split(/, | and (?=(?:an?|some) )/).map(withoutArticle);
}

function withoutArticle(text: string): string {
  return text.replace(/^(?:an?|some) /, "");
}
