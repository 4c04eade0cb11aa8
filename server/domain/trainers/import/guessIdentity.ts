import { environments } from "#trainer/spec/environment.ts";
import { methodNames, methods } from "#trainer/spec/method.ts";

export const unnamedEnvironment = "unknown";

export type Identity = { method: string; environment: string; seed: number | undefined };

const endings = /(\.(jsonl?|ndjson|log|txt|csv|tsv|out|err|wandb|gz|\d+))+$/i;
/** CleanRL's names: environment, program, seed, time. */
const cleanRlName = /^(.+?)__(.+)__(\d{1,9})__\d{9,11}$/;
const seedWord = /(?:^|[^a-z])(?:seed|s)[ _=-]?(\d{1,9})(?![a-z0-9])/i;

/**
 * Guesses method, environment and seed from the name of a run or file ("gspo_alfworld_seed2"). Unknown parts of the
 * name become part of the method, so that different names stay separate.
 */
export function guessIdentity(name: string): Identity {
  const [, game = "", program = "", number] = cleanRlName.exec(name) ?? [];
  if (number !== undefined) {
    const { environment } = guessIdentity(game);
    const isKnown = environment !== unnamedEnvironment;
    return { ...guessIdentity(program), environment: isKnown ? environment : game, seed: Number(number) };
  }
  const words = name.replace(endings, "");
  const seed = seedWord.exec(words);
  const rest = seed ? words.replace(seed[0], "") : words;
  const environment = Object.keys(environments).find((id) => has(rest, id));
  const known = methodWords.find(({ word }) => has(rest, word));
  const method =
    known?.title ?? tidy(environment === undefined ? rest : rest.replace(new RegExp(environment, "i"), ""));
  return {
    method: method === "" ? "imported" : method,
    environment: environment ?? unnamedEnvironment,
    seed: seed?.[1] === undefined ? undefined : Number(seed[1]),
  };
}

export function isKnownMethod(title: string): boolean {
  return methodNames.some((name) => methods[name].title === title);
}

/** Returns the words of a name that are neither its method nor its environment nor its seed. */
export function guessDetail(name: string): string {
  const words = name.replace(endings, "").replace(seedWord, "");
  const known = methodWords.find(({ word }) => has(words, word))?.word ?? "";
  const parts = [known, ...Object.keys(environments)].filter((word) => word !== "" && has(words, word));
  const pattern = parts.map((word) => word.split(/[^a-z0-9]+/i).join("[^a-z0-9]*")).join("|");
  return tidy(
    pattern === "" ? words : words.replaceAll(new RegExp(`(?<![a-z0-9])(?:${pattern})(?![a-z0-9])`, "gi"), " "),
  );
}

/** Longer method names are tried first, since "grpo_st" is not GRPO. */
const methodWords = methodNames
  .flatMap((name) => [
    { word: name, title: methods[name].title },
    { word: methods[name].title, title: methods[name].title },
  ])
  .toSorted((a, b) => b.word.length - a.word.length);

function has(text: string, word: string): boolean {
  const flat = (s: string) => s.toLowerCase().replaceAll(/[^a-z0-9]+/g, " ");
  return (
    ` ${flat(text)} `.includes(` ${flat(word)} `) || flat(text).replaceAll(" ", "") === flat(word).replaceAll(" ", "")
  );
}

function tidy(text: string): string {
  return text
    .replaceAll(/[_\s]+/g, " ")
    .replaceAll(/^[\s\-.]+|[\s\-.]+$/g, "")
    .slice(0, 80);
}
