import type { Rng } from "#trainer/spec/rng.ts";
import { toCommandText, type Command } from "../command.ts";
import { nameOf, type Game, type World } from "../game.ts";
import { capitalise } from "../words.ts";
import { pick } from "../../chance.ts";

/** One step of a walkthrough: the command, and the world before it. */
export type Step = { readonly command: Command; readonly world: World };

/** Returns all steps of a quest as one text: `Open the red chest. Take the key from the red chest. Go east.` */
export function describeSteps(
  game: Game,
  steps: readonly Step[],
  style: { prose: "compact" | "rich"; rng: Rng },
): string {
  if (style.prose === "compact") return steps.map((step) => toSentence(toClause(game, step))).join(" ");
  const clauses = steps.map((step) => toRichClause(game, step, style.rng));
  const [first = "", ...others] = clauses;
  const told = [
    `${pick(openers, style.rng)} ${first}.`,
    ...others.map((clause) => `${pick(connectives, style.rng)} ${clause}.`),
  ];
  return `${pick(greetings, style.rng)} ${told.join(" ")} ${pick(closers, style.rng)}`;
}

const greetings = ["Welcome!", "Good to see you here!", "Get ready for another round!"];
const openers = ["First of all,", "To begin with,", "Your first task is to"];
const connectives = ["Then,", "After that,", "Next,", "With that done,"];
const closers = ["That is all!", "Do that, and you win!", "Once this is done, you can stop."];

/** Returns the objective of a quest as a sentence with its last command only. */
export function describeGoal(game: Game, step: Step): string {
  return toSentence(toClause(game, step));
}

function toSentence(clause: string): string {
  return `${capitalise(clause)}.`;
}

/** Returns a command as a clause with articles: `take the key from the red chest`. */
function toClause(game: Game, { command }: Step): string {
  return toCommandText(game, command, "the ");
}

/** Returns a command as a clause with a sampled verb; half of the clauses about things also name the room. */
function toRichClause(game: Game, step: Step, rng: Rng): string {
  const clause = toClause(game, step);
  const verb = clause.split(" ", 1)[0] ?? "";
  const wording = pick([verb, ...(otherVerbs[verb] ?? [])], rng) + clause.slice(verb.length);
  if (!("thing" in step.command) || rng.next() < 0.5) return wording;
  return `${wording} ${pick(["in", "inside", "within"], rng)} the ${nameOf(game, step.world.room)}`;
}

const otherVerbs: Readonly<Record<string, readonly string[]>> = {
  go: ["head", "travel"],
  take: ["get", "pick up"],
  put: ["place", "rest"],
  insert: ["place", "deposit"],
  drop: ["leave", "let go of"],
  open: ["pull open"],
  close: ["shut"],
};

export const objectiveTexts: readonly string[] = [
  ...greetings,
  ...openers,
  ...connectives,
  ...closers,
  ...Object.values(otherVerbs).flat(),
  "in inside within the",
];
