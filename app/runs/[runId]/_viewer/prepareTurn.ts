import type { SampleEpisode } from "#trainer/spec/sample.ts";
import { formatValue } from "#app/_charts/format.ts";
import { isSectionMark } from "#app/_components/episode/isSectionMark.ts";

export type SampleTurn = SampleEpisode["turns"][number];

/** By what tokens are shaded: how unlikely each was, or how undecided the policy was before it. */
export type Shading = "probability" | "entropy";

export type TokenView = {
  text: string;
  /** 0: certain; 1: all but impossible, or the most undecided token of the scale. Null where it was not recorded. */
  shade: number | null;
  /** "p = 0.83, log p = −0.19 nats, entropy 0.6 nats", without what was not recorded. */
  about: string;
};

/** @param entropyScale the entropy, in nats, that is shaded as 1 */
export function prepareTokens(response: SampleTurn["response"], shading: Shading, entropyScale: number): TokenView[] {
  return response.map(({ token, logProb, entropy = null }) => ({
    text: token,
    shade: shading === "entropy" ? shareOf(entropy, entropyScale) : logProb === null ? null : 1 - probability(logProb),
    about: formatToken(logProb, entropy),
  }));
}

function formatToken(logProb: number | null, entropy: number | null): string {
  const chance = logProb === null ? "probability not finite" : formatProbability(logProb);
  return entropy === null ? chance : `${chance}, entropy ${formatValue(entropy)} nats`;
}

function formatProbability(logProb: number): string {
  return `p = ${formatValue(probability(logProb))}, log p = ${formatValue(logProb)} nats`;
}

function shareOf(x: number | null, most: number): number | null {
  return x === null ? null : Math.min(1, Math.max(0, x / most));
}

/** Rounding may leave a log-probability just above 0. */
function probability(logProb: number): number {
  return Math.min(1, Math.exp(logProb));
}

/**
 * The entropy that is shaded fully, the same for all turns of an episode so that they compare: its largest, but not
 * below a tenth of a nat, where shades would be made of nothing. Undefined when none was recorded.
 */
export function entropyScaleOf({ turns }: Pick<SampleEpisode, "turns">): number | undefined {
  const known = turns.flatMap(({ response }) => response.flatMap(({ entropy }) => entropy ?? []));
  return known.length === 0 ? undefined : Math.max(0.1, ...known);
}

/** Mean of what is known; NaN where nothing is. */
export function meanOfKnown(values: readonly (number | null | undefined)[]): number {
  const known = values.flatMap((x) => x ?? []);
  return known.length === 0 ? NaN : known.reduce((sum, x) => sum + x, 0) / known.length;
}

/** Sections of a compact prompt, and the lines of the texts in it, each on a line of its own. */
export function breakSections(prompt: string): string {
  const words = prompt.split(" ");
  const begins = (word: string, i: number) => isSectionMark(word) || words[i - 1] === "<nl>";
  return words.map((word, i) => (i === 0 ? word : `${begins(word, i) ? "\n" : " "}${word}`)).join("");
}
