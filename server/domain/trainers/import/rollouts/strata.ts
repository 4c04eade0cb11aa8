import { strata } from "#trainer/spec/metric.ts";

/** Tokens of one response with their log-probabilities in nats; all arrays have the same length. */
export type ResponseTokens = {
  /** Log-probabilities after the update, then before it. */
  logProbs: readonly number[];
  oldLogProbs: readonly number[];
  entropies: readonly number[];
  referenceLogProbs: readonly number[] | undefined;
  /** One advantage for the response, or one per token. */
  advantages: number | readonly number[];
};

/** Log-ratios of one policy computed twice differ by rounding; within this they count as ratio 1. */
const rounding = 1e-5;
/** Clamps as in trainers: the log-ratio before the exponential, and the k3 estimate. */
const [maxLogRatio, maxK3] = [20, 10];

/**
 * Fractions of ARLArena's Figure 4 for one step: of tokens, and of the KL to the reference (k3) if available. Strata:
 * sign of the advantage × ratio above or below 1 × entropy at least or below the step's median. Also the ratio's mean
 * and extremes. Tokens without an advantage are in no stratum.
 */
export function describeStrata(responses: readonly ResponseTokens[]): Record<string, number> {
  const threshold = upperMedian(responses.flatMap(({ entropies }) => entropies));
  const tokens = new Float64Array(strata.length);
  const kls = new Float64Array(strata.length);
  const ratios = { sum: 0, count: 0, least: Infinity, most: -Infinity };
  for (const { logProbs, oldLogProbs, entropies, referenceLogProbs, advantages } of responses) {
    for (const [t, logProb] of logProbs.entries()) {
      const logRatio = bound(logProb - (oldLogProbs[t] ?? NaN));
      const ratio = Math.exp(logRatio);
      ratios.sum += ratio;
      ratios.count += 1;
      ratios.least = Math.min(ratios.least, ratio);
      ratios.most = Math.max(ratios.most, ratio);
      const advantage = typeof advantages === "number" ? advantages : (advantages[t] ?? 0);
      if (advantage === 0) continue;
      const stratum =
        (advantage > 0 ? 0 : 4) + (logRatio >= -rounding ? 0 : 2) + ((entropies[t] ?? NaN) >= threshold ? 0 : 1);
      tokens[stratum] = (tokens[stratum] ?? 0) + 1;
      if (referenceLogProbs) kls[stratum] = (kls[stratum] ?? 0) + k3(logProb, referenceLogProbs[t] ?? NaN);
    }
  }
  if (ratios.count === 0) return {};
  return {
    "policy/ratioMean": ratios.sum / ratios.count,
    "policy/ratioMin": ratios.least,
    "policy/ratioMax": ratios.most,
    ...sharesOf("strataTokens", tokens),
    ...sharesOf("strataKl", kls),
  };
}

function bound(logRatio: number): number {
  return Math.max(-maxLogRatio, Math.min(maxLogRatio, logRatio));
}

function k3(logProb: number, referenceLogProb: number): number {
  const z = bound(referenceLogProb - logProb);
  return Math.min(maxK3, Math.expm1(z) - z);
}

function upperMedian(values: readonly number[]): number {
  return Float64Array.from(values).sort()[Math.floor(values.length / 2)] ?? NaN;
}

function sharesOf(group: string, parts: Float64Array): Record<string, number> {
  const total = parts.reduce((sum, x) => sum + x, 0);
  return total === 0 ? {} : Object.fromEntries(strata.map((name, i) => [`${group}/${name}`, (parts[i] ?? 0) / total]));
}
