import type { ExportedPolicy } from "#trainer/policy/exportedPolicy.ts";
import type { Position } from "./play.ts";

/**
 * Relative probability (`share`) of each admissible action after the policy's own thought. An action's product of token
 * probabilities, tags included, is divided by the sum over all scored actions.
 */
export type ActionScores =
  | {
      kind: "scored";
      /** Scored actions by descending probability. `isChosen` is true for the action in the response. */
      actions: { action: string; share: number; isChosen: boolean }[];
      /** Total probability that the response continues with one of these actions, before division by that sum. */
      total: number;
      /** Number of admissible actions not scored: those beyond the limit or longer than the context. */
      numLeftOut: number;
    }
  | { kind: "none"; reason: string };

type Written = {
  prompt: Int32Array;
  response: readonly number[];
  temperature: number;
};

/** Maximum number of admissible actions that are scored, because each needs a forward pass. */
export const maxActions = 64;

export async function scoreActions(
  policy: ExportedPolicy,
  { admissible }: Position,
  written: Written,
): Promise<ActionScores> {
  const { contextTokens } = policy.vocabulary;
  const [opening = NaN] = policy.encode("<action>");
  const [closing = NaN] = policy.encode("</action>");
  const at = written.response.indexOf(opening);
  if (at === -1) return { kind: "none", reason: "the response has no <action>: there is nowhere to put one" };
  if (admissible.length === 0) return { kind: "none", reason: "this environment lists no actions here" };
  const context = Int32Array.of(...written.prompt, ...written.response.slice(0, at + 1));
  const score = makeScorer(policy, context, written.temperature);
  const chosen = written.response.slice(at + 1);
  const scored: ScoredAction[] = [];
  for (const { action, words } of admissible.slice(0, maxActions)) {
    const tokens = [...policy.encode(words), closing];
    if (context.length + tokens.length > contextTokens) continue;
    const isChosen = tokens.every((token, i) => token === chosen[i]);
    scored.push({ action, logProb: await score(tokens), isChosen });
  }
  return toScores(scored, admissible.length);
}

type ScoredAction = { action: string; logProb: number; isChosen: boolean };

/** Converts actions' log-probabilities to shares that sum to 1. `numAdmissible` includes actions not scored. */
export function toScores(scored: readonly ScoredAction[], numAdmissible: number): ActionScores {
  const total = scored.reduce((sum, { logProb }) => sum + Math.exp(logProb), 0);
  // The maximum is subtracted before the exponential, so that the sum does not underflow to 0.
  const largest = scored.reduce((most, { logProb }) => Math.max(most, logProb), -Infinity);
  const scale = scored.reduce((sum, { logProb }) => sum + Math.exp(logProb - largest), 0);
  const actions = scored
    .map(({ logProb, ...action }) => ({ ...action, share: Math.exp(logProb - largest) / scale }))
    .toSorted((a, b) => b.share - a.share);
  return { kind: "scored", actions, total, numLeftOut: numAdmissible - scored.length };
}

/** Makes a function for a token sequence's log-probability; it reuses a pass with all tokens but the last. */
function makeScorer(policy: ExportedPolicy, context: Int32Array, temperature: number) {
  const known = new Map<string, Float64Array>();
  const keyOf = (tokens: readonly number[], length: number): string => tokens.slice(0, length).join(" ");
  return async (tokens: readonly number[]): Promise<number> => {
    if (!known.has(keyOf(tokens, tokens.length - 1))) {
      const rows = await policy.logitsAfter(Int32Array.of(...context, ...tokens.slice(0, -1)), context.length - 1);
      for (const [i, row] of rows.entries()) known.set(keyOf(tokens, i), logSoftmax(row, temperature));
    }
    return tokens.reduce((sum, token, i) => sum + (known.get(keyOf(tokens, i))?.[token] ?? NaN), 0);
  };
}

export type TopToken = { token: number; text: string; probability: number };

const most = 8;

/** Returns the tokens of highest probability at a temperature, highest first, each with its text `piece`. */
export function topTokens(logits: Float32Array, temperature: number, piece: (token: number) => string): TopToken[] {
  const logProbs = logSoftmax(logits, temperature);
  return largest(logProbs).map((token) => ({
    token,
    text: piece(token),
    probability: Math.exp(logProbs[token] ?? NaN),
  }));
}

/** Returns the indices of the largest values, largest first. A full sort of 150,000 tokens would be slow. */
function largest(values: Float64Array): number[] {
  const kept: number[] = [];
  const valueAt = (place: number): number => values[kept[place] ?? -1] ?? -Infinity;
  for (let i = 0; i < values.length; i++) {
    const value = values[i] ?? -Infinity;
    if (kept.length === most && value <= valueAt(most - 1)) continue;
    const after = kept.findIndex((other) => value > (values[other] ?? -Infinity));
    kept.splice(after === -1 ? kept.length : after, 0, i);
    kept.length = Math.min(kept.length, most);
  }
  return kept;
}

export function logSoftmax(logits: Float32Array, temperature: number): Float64Array {
  const scaled = Float64Array.from(logits, (x) => x / temperature);
  const largest = scaled.reduce((most, x) => Math.max(most, x), -Infinity);
  const total = Math.log(scaled.reduce((sum, x) => sum + Math.exp(x - largest), 0));
  return scaled.map((x) => x - largest - total);
}
