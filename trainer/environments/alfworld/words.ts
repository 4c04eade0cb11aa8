import type { AlfworldSpec } from "#trainer/spec/environments/alfworld.ts";
import { lamps } from "./kinds.ts";
import { notesWords } from "./notes.ts";
import { rooms } from "./rooms.ts";
import { help, listOf, nothingHappens } from "./text.ts";

const around = "You are in the middle of a room. Looking quickly around you, you see";

/**
 * Text templates of the engine, each with its shorter form for a small policy, without filler words. `{r}`, `{o}` and
 * `{k}` are names such as `mug 1`. `{list}` is a list with articles and commas, reduced to names for the policy.
 * `{names}` is a list without articles.
 */
const templates = [
  [`-= Welcome to TextWorld, ALFRED! =-\n\n${around} {list}.\n\nYour task is to: {goal}.`, "room {list} . {goal}"],
  ["You arrive at {r}. On the {r}, you see {list}.", "at {r} on {list}"],
  ["You arrive at {r}. The {r} is open. In it, you see {list}.", "at {r} open {list}"],
  ["You arrive at {r}. The {r} is closed.", "at {r} closed"],
  ["On the {r}, you see {list}.", "this {r} on {list}"],
  ["The {r} is open. In it, you see {list}.", "this {r} open {list}"],
  ["The {r} is closed.", "this {r} closed"],
  ["You open the {r}. The {r} is open. In it, you see {list}.", "opened {r} {list}"],
  ["You close the {r}.", "shut {r}"],
  ["You pick up the {o} from the {r}.", "took {o} from {r}"],
  ["You move the {o} to the {r}.", "moved {o} to {r}"],
  ["You clean the {o} using the {r}.", "cleaned {o} at {r}"],
  ["You heat the {o} using the {r}.", "heated {o} at {r}"],
  ["You cool the {o} using the {r}.", "cooled {o} at {r}"],
  ["You turn on the {o}.", "lit {o}"],
  ["You sliced the {o} with the {k}.", "sliced {o} with {k}"],
  ["You are carrying: a {o}.", "carrying {o}"],
  ["You are not carrying anything.", "carrying nothing"],
  ["You are facing the {names}. Next to it, you see nothing.", "facing {names}"],
  [`${around} nothing.`, "facing nothing"],
  ["This is a normal {o}. In it, you see nothing.", "normal {o}"],
  ["This is a {state} {o}.", "this is {state} {o}"],
  ["There's nothing special about {o}.", "plain {o}"],
  [help, "commands"],
  [nothingHappens, "nothing happens"],
] as const;

const name = String.raw`[a-z]+ \d+`;
/** Regular expressions for each slot of a template, in the engine's text and in the small policy's words. */
const slots: Readonly<Record<string, readonly [text: string, words: string]>> = {
  r: [name, name],
  o: [name, name],
  k: [name, name],
  list: ["[^.]+", `(?:${name} ?)+|nothing`],
  names: ["[^.]+", `(?:${name} ?)+`],
  state: ["[a-z ]+", "[a-z ]+"],
  goal: ["[a-z0-9 ]+", "[a-z0-9 ]+"],
};

const readers = templates.map(([text, words]) => ({
  text: compile(text, 0),
  words: compile(words, 1),
  to: { text, words },
}));

/** Compiles a template for the engine's text (side 0) or the policy's words (1). A repeated slot must match itself. */
function compile(template: string, side: 0 | 1): RegExp {
  const known = new Set<string>();
  const source = template
    .split(/(\{\w+\})/)
    .map((part) => {
      const slot = part.slice(1, -1);
      const pattern = slots[slot]?.[side];
      if (!part.startsWith("{") || pattern === undefined)
        return part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
      if (known.has(slot)) return String.raw`\k<${slot}>`;
      known.add(slot);
      return `(?<${slot}>${pattern})`;
    })
    .join("");
  return new RegExp(`^${source}$`);
}

/** Converts a text of the engine into words for a small policy. Texts without a template, such as goals, are kept. */
export function toWords(text: string): string {
  for (const { text: reader, to } of readers) {
    const found = reader.exec(text);
    if (found) return fill(to.words, found.groups, namesOf);
  }
  return text;
}

export function fromWords(words: string): string {
  if (words.startsWith("<")) return words;
  for (const { words: reader, to } of readers) {
    const found = reader.exec(words);
    if (found) return fill(to.text, found.groups, listOfNames);
  }
  return words;
}

function fill(
  template: string,
  found: Readonly<Record<string, string>> | undefined,
  convert: (list: string, article: string) => string,
): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, slot: string) => {
    const value = found?.[slot] ?? "";
    if (slot === "list") return convert(value, "a ");
    return slot === "names" ? convert(value, "") : value;
  });
}

/** Removes articles and separators from a list: `a mug 1, and a cup 2` becomes `mug 1 cup 2`. */
function namesOf(list: string, article: string): string {
  return list
    .split(", ")
    .map((item) => item.replace(/^and /, "").slice(item === "nothing" ? 0 : article.length))
    .join(" ");
}

function listOfNames(names: string, article: string): string {
  return names === "nothing" ? names : listOf(names.match(/[a-z]+ \d+/g) ?? [], article);
}

/** Words of commands, goals, object states and the expert's thoughts, for a small policy's vocabulary. */
const plain =
  "look inventory help go to open close take from move examine use heat clean cool slice with put a some in on at under the it and find two them hot cold sliced have";

/** Returns every word that can occur in the rooms of the given task types, which forms a small policy's vocabulary. */
export function vocabularyOf({ taskTypes, numReceptacles }: AlfworldSpec): string[] {
  const suitable = rooms.filter(({ tasks }) => tasks.some((type) => taskTypes.includes(type)));
  const kinds = suitable.flatMap(({ required, receptacles, objects }) => [
    ...required,
    ...receptacles.map(([kind]) => kind),
    ...objects.map(([kind]) => kind),
  ]);
  // Numbers in object names go up to 3, because a room has at most three objects of a kind.
  const numbers = Array.from({ length: Math.max(numReceptacles, 3) }, (_, i) => String(i + 1));
  const wordsOfTemplates = templates.flatMap(([, words]) => words.split(" ").filter((word) => !word.startsWith("{")));
  return [
    ...new Set([
      ...wordsOfTemplates,
      ...notesWords,
      ...plain.split(" "),
      ...kinds,
      ...(taskTypes.includes("look") ? lamps : []),
      ...numbers,
    ]),
  ];
}
