import type { StoredEpisode } from "#trainer/spec/storedEpisode.ts";
import { formatValue } from "#app/_charts/format.ts";
import { isSectionMark } from "#app/_components/episode/turns.ts";

export type StoredTurn = StoredEpisode["turns"][number];

/** Quantity encoded by a token's background colour: 1 − its probability, or the policy's entropy before the token. */
export type Shading = "probability" | "entropy";

/** Returns the tokens of a response with their shades. `entropyScale`: entropy in nats at which the shade is 1. */
export function prepareTokens(response: StoredTurn["response"], shading: Shading, entropyScale: number) {
  return response.map(({ token, logProb, entropy = null }) => ({
    text: token,
    // Shade from 0 (certain) to 1 (improbable, or the scale's highest entropy); null if not recorded.
    shade: shading === "entropy" ? shareOf(entropy, entropyScale) : logProb === null ? null : 1 - probability(logProb),
    about: formatToken(logProb, entropy),
  }));
}

function formatToken(logProb: number | null, entropy: number | null): string {
  const chance =
    logProb === null
      ? "probability not finite"
      : `p = ${formatValue(probability(logProb))}, log p = ${formatValue(logProb)} nats`;
  return entropy === null ? chance : `${chance}, entropy ${formatValue(entropy)} nats`;
}

function shareOf(x: number | null, most: number): number | null {
  return x === null ? null : Math.min(1, Math.max(0, x / most));
}

/** Returns the probability, limited to 1, because rounding may raise a log-probability slightly above 0. */
function probability(logProb: number): number {
  return Math.min(1, Math.exp(logProb));
}

/** Returns the episode's maximum entropy in nats, at least 0.1, so that colours of its turns are comparable. */
export function entropyScaleOf({ turns }: Pick<StoredEpisode, "turns">): number | undefined {
  const known = turns.flatMap(({ response }) => response.flatMap(({ entropy }) => entropy ?? []));
  return known.length === 0 ? undefined : Math.max(0.1, ...known);
}

/** Returns the mean of the recorded values; NaN if there are none. */
export function meanOfKnown(values: readonly (number | null | undefined)[]): number {
  const known = values.flatMap((x) => x ?? []);
  return known.length === 0 ? NaN : known.reduce((sum, x) => sum + x, 0) / known.length;
}

/** Puts each section of a compact prompt, and each line within it, on a line of its own. */
export function breakSections(prompt: string): string {
  const words = prompt.split(" ");
  const begins = (word: string, i: number) => isSectionMark(word) || words[i - 1] === "<nl>";
  return words.map((word, i) => (i === 0 ? word : `${begins(word, i) ? "\n" : " "}${word}`)).join("");
}
