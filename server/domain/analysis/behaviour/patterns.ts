import type { ReadTrace } from "#trainer/spec/trace.ts";

/** A way in which agents fail or waste turns (ARLArena, arXiv 2602.21534, Appendix F). */
export type Pattern = { name: string; meaning: string; isIn: (episode: ReadTrace) => boolean };

const oscillation: Pattern = {
  name: "oscillation",
  meaning: "two types of actions alternate for four turns, the last two of them in known states",
  isIn: ({ letters, revisits }) =>
    letters.some(
      (letter, i) =>
        letter !== letters[i + 1] &&
        letter === letters[i + 2] &&
        letters[i + 1] === letters[i + 3] &&
        revisits[i + 2] === true &&
        revisits[i + 3] === true,
    ),
};

const patterns: Readonly<Record<string, readonly Pattern[]>> = {
  webshop: [
    {
      name: "pagination loop",
      meaning: "three turns in a row turn a page of results",
      isIn: ({ letters }) => /[np]{3}/.test(letters.join("")),
    },
    oscillation,
    {
      name: "premature purchase",
      meaning: "the episode ends with the purchase of a wrong product",
      isIn: ({ letters, ending }) => ending === "ended" && letters.at(-1) === "b",
    },
  ],
  alfworld: [
    {
      name: "long navigation",
      meaning: "five turns in a row go somewhere else",
      isIn: ({ letters }) => /g{5}/.test(letters.join("")),
    },
    oscillation,
  ],
};

/** Returns the patterns that are looked for in an environment. */
export const patternsIn = (environment: string): readonly Pattern[] => patterns[environment] ?? [oscillation];

/** Says in how many of the episodes each pattern occurs: "oscillation in 3 of 60 (5 %)". */
export function tellPatterns(environment: string, episodes: readonly ReadTrace[]): string {
  const told = patternsIn(environment).map(({ name, isIn }) => {
    const n = episodes.filter(isIn).length;
    return `${name} in ${n} (${Math.round((100 * n) / episodes.length)} %)`;
  });
  return `of ${episodes.length} episodes, ${told.join(", ")}`;
}

/** Explains the patterns of an environment. */
export function explainPatterns(environment: string): string {
  return patternsIn(environment)
    .map(({ name, meaning }) => `${name.charAt(0).toUpperCase()}${name.slice(1)}: ${meaning}.`)
    .join(" ");
}
