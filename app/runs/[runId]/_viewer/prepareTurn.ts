import type { SampleEpisode } from "#trainer/spec/sample.ts";
import { formatValue } from "#app/_charts/format.ts";
import { isSectionMark } from "#app/_components/episode/turns.ts";

export type SampleTurn = SampleEpisode["turns"][number];

/** Quantity encoded by a token's background colour: 1 − its probability, or the policy's entropy before the token. */
export type Shading = "probability" | "entropy";

export type TokenView = {
  text: string;
  /** Colour intensity from 0 (certain) to 1 (improbable, or the scale's highest entropy); null if not recorded. */
  shade: number | null;
  /** Recorded values as text: "p = 0.83, log p = −0.19 nats, entropy 0.6 nats". */
  about: string;
};

/**
 * Returns a response's tokens with their colour intensity and description.
 * @param entropyScale entropy in nats at which the intensity is 1
 */
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

/** Returns the probability, limited to 1, because rounding may raise a log-probability slightly above 0. */
function probability(logProb: number): number {
  return Math.min(1, Math.exp(logProb));
}

/**
 * Returns the entropy in nats that gets the strongest colour: the episode's maximum, at least 0.1, so that colours of
 * its turns are comparable. Undefined if no entropy was recorded.
 */
export function entropyScaleOf({ turns }: Pick<SampleEpisode, "turns">): number | undefined {
  const known = turns.flatMap(({ response }) => response.flatMap(({ entropy }) => entropy ?? []));
  return known.length === 0 ? undefined : Math.max(0.1, ...known);
}

/** Returns the mean of the recorded values; NaN if there are none. */
export function meanOfKnown(values: readonly (number | null | undefined)[]): number {
  const known = values.flatMap((x) => x ?? []);
  return known.length === 0 ? NaN : known.reduce((sum, x) => sum + x, 0) / known.length;
}

/**
 * Inserts line breaks into a compact prompt, so that each section, and each line within it, is on a line of its own.
 */
export function breakSections(prompt: string): string {
  const words = prompt.split(" ");
  const begins = (word: string, i: number) => isSectionMark(word) || words[i - 1] === "<nl>";
  return words.map((word, i) => (i === 0 ? word : `${begins(word, i) ? "\n" : " "}${word}`)).join("");
}
