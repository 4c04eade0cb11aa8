import type { SampleEpisode } from "#trainer/spec/sample.ts";
import { formatValue } from "#app/_charts/format.ts";
import { isSectionMark } from "#app/_components/episode/turns.ts";

export type SampleTurn = SampleEpisode["turns"][number];

/** Quantity that shades tokens: their improbability, or the policy's entropy before them. */
export type Shading = "probability" | "entropy";

export type TokenView = {
  text: string;
  /** 0: certain; 1: nearly impossible, or the highest entropy of the scale. Null if not recorded. */
  shade: number | null;
  /** "p = 0.83, log p = −0.19 nats, entropy 0.6 nats", without values that were not recorded. */
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
 * Entropy with full shading: the episode's maximum, so that its turns compare, but at least 0.1 nats, because smaller differences mean nothing.
 * Undefined if none was recorded.
 */
export function entropyScaleOf({ turns }: Pick<SampleEpisode, "turns">): number | undefined {
  const known = turns.flatMap(({ response }) => response.flatMap(({ entropy }) => entropy ?? []));
  return known.length === 0 ? undefined : Math.max(0.1, ...known);
}

/** Mean of the known values; NaN if there are none. */
export function meanOfKnown(values: readonly (number | null | undefined)[]): number {
  const known = values.flatMap((x) => x ?? []);
  return known.length === 0 ? NaN : known.reduce((sum, x) => sum + x, 0) / known.length;
}

/** Puts each section of a compact prompt, and each line of its texts, on its own line. */
export function breakSections(prompt: string): string {
  const words = prompt.split(" ");
  const begins = (word: string, i: number) => isSectionMark(word) || words[i - 1] === "<nl>";
  return words.map((word, i) => (i === 0 ? word : `${begins(word, i) ? "\n" : " "}${word}`)).join("");
}
