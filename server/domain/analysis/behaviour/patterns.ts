import type { ReadTrace } from "#trainer/spec/trace.ts";

/** A way in which agents fail or waste turns (ARLArena, arXiv 2602.21534, Appendix F). */
type Pattern = { name: string; meaning: string; isIn: (episode: ReadTrace) => boolean };

/** Tests an episode's letters, followed by its ending: "sib ended". */
const reads = (pattern: RegExp) => (episode: ReadTrace) =>
  pattern.test(`${episode.letters.join("")} ${episode.ending}`);

const oscillation: Pattern = {
  name: "oscillation",
  meaning: "two types of actions alternate for four turns, the last two of them in known states",
  isIn: ({ letters, revisits }) =>
    letters.some((a, i) => {
      const [b, ...next] = letters.slice(i + 1, i + 4);
      return a !== b && next[0] === a && next[1] === b && revisits[i + 2] === true && revisits[i + 3] === true;
    }),
};

const purchase = "the episode ends with the purchase of a wrong product";
const patterns: Readonly<Record<string, readonly Pattern[]>> = {
  webshop: [
    { name: "pagination loop", meaning: "three turns in a row turn a page of results", isIn: reads(/[np]{3}/) },
    oscillation,
    { name: "premature purchase", meaning: purchase, isIn: reads(/b ended$/) },
  ],
  alfworld: [
    { name: "long navigation", meaning: "five turns in a row go somewhere else", isIn: reads(/g{5}/) },
    oscillation,
  ],
};

/** Returns the patterns that are looked for in an environment. */
export const patternsIn = (environment: string): readonly Pattern[] => patterns[environment] ?? [oscillation];

/** Says in how many of the episodes each pattern occurs: "oscillation in 3 of 60 (5 %)". */
export function tellPatterns(environment: string, episodes: readonly ReadTrace[]): string {
  const told = patternsIn(environment).map(({ name, isIn }) => {
    const n = episodes.filter(isIn).length;
    return `${name} in ${n} (${percentOf(n, episodes.length)})`;
  });
  return `of ${episodes.length} episodes, ${told.join(", ")}`;
}

/** Explains the patterns of an environment. */
export function explainPatterns(environment: string): string {
  const meanings = patternsIn(environment).map(({ name, meaning }) => `${name}: ${meaning}.`);
  return meanings.map((one) => one.charAt(0).toUpperCase() + one.slice(1)).join(" ");
}

export const percentOf = (n: number, of: number): string => `${Math.round((100 * n) / of)} %`;
