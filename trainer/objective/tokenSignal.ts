import type { Clipping } from "#trainer/spec/dimensions.ts";
import type { Rng } from "#trainer/spec/rng.ts";
import { sequenceMaskOf, signalOf } from "#trainer/spec/traits.ts";
import { meanOf, standardDeviation } from "./baseline.ts";
import { clipEvents, clipRule } from "./clipping.ts";
import { boundLogRatio, maxLogRatio } from "./logRatio.ts";
import type { TokenBatch } from "./sequenceMask.ts";

export type SignalBatch = TokenBatch & {
  /** (B, T) token entropies of the current policy, in nats. */
  entropies: ArrayLike<number>;
  /** (B, T) index of each token's turn in its episode; if absent, each batch row is one turn. */
  turns?: ArrayLike<number>;
  /** (B, T) importance weights ω of the off-policy correction, which enter VESPO's own weight; 1 if absent. */
  importance?: ArrayLike<number>;
};

/** True if the loss needs the current policy's log-probabilities or entropies: an additional forward pass. */
export function needsCurrentPolicy(clipping: Clipping): boolean {
  return sequenceMaskOf(clipping) !== null || signalOf(clipping) !== null;
}

/**
 * Computes the per-token input (signal) of a clipping kind over a minibatch, outside the graph. AEPO: z-scored
 * entropy. Clip-Cov: 0 on dropped tokens, else 1. KL-Cov: 1 on penalised tokens, else 0. ASPO: 1 on tokens of the
 * wide range. Turn clip: the log-ratio of a token's turn. VESPO: log ω.
 * @returns (B, T); zeros for kinds without a signal
 */
export function tokenSignal(clipping: Clipping, batch: SignalBatch, rng: Rng): Float32Array<ArrayBuffer> {
  const signal = new Float32Array(batch.mask.length);
  switch (clipping.kind) {
    case "aepo": {
      const tokens = responseTokens(batch);
      const entropies = tokens.map((at) => batch.entropies[at] ?? 0);
      const [mean, std] = [meanOf(entropies), standardDeviation(entropies)];
      for (const at of tokens) signal[at] = ((batch.entropies[at] ?? 0) - mean) / (std + 1e-8);
      return signal;
    }
    case "clipCov": {
      signal.fill(1);
      const tokens = responseTokens(batch);
      const covariances = covariancesOf(batch, tokens);
      const rule = clipRule(clipping);
      const candidates = tokens.filter((at, i) => {
        const covariance = covariances[i] ?? 0;
        const isInRange = covariance > clipping.covarianceLow && covariance < clipping.covarianceHigh;
        return isInRange && !clipEvents(rule, ratioAt(batch, at), batch.advantages[at] ?? 0).isClipped;
      });
      const order = candidates.map((at) => ({ at, key: rng.next() })).sort((a, b) => a.key - b.key);
      for (const { at } of order.slice(0, numChosen(clipping, tokens))) signal[at] = 0;
      return signal;
    }
    case "klCov": {
      const tokens = responseTokens(batch);
      const covariances = covariancesOf(batch, tokens);
      const order = tokens.map((at, i) => ({ at, covariance: covariances[i] ?? 0 }));
      order.sort((a, b) => b.covariance - a.covariance || a.at - b.at);
      for (const { at } of order.slice(0, numChosen(clipping, tokens))) signal[at] = 1;
      return signal;
    }
    case "aspo":
      if (signalOf(clipping) === "entropy") for (const at of uncertainTokens(batch)) signal[at] = 1;
      return signal;
    case "turn":
      for (const { at, logRatio } of turnRatios(batch, clipping.length)) signal[at] = logRatio;
      return signal;
    case "vespo":
      for (const at of batch.importance ? responseTokens(batch) : []) {
        signal[at] = Math.min(Math.log(Math.max(batch.importance?.[at] ?? 1, 1e-8)), maxLogRatio);
      }
      return signal;
    case "divergence":
    case "quadratic":
    case "quadraticLog":
    case "gradientPreserving":
    case "score":
    case "ratio":
    case "token":
    case "sequence":
    case "sapo":
    case "cispo":
    case "geometricMean":
      return signal;
  }
}

/** Returns the flat (B, T) indices of all response tokens in the minibatch. */
function responseTokens({ mask }: TokenBatch): number[] {
  return Array.from({ length: mask.length }, (_, at) => at).filter((at) => mask[at]);
}

/** Flat indices of tokens whose entropy exceeds the 0.8 quantile of their row (linear interpolation). */
function uncertainTokens({ shape: [numRows, width], mask, entropies }: SignalBatch): number[] {
  return Array.from({ length: numRows }, (_, row) => row).flatMap((row) => {
    const tokens = Array.from({ length: width }, (_, t) => row * width + t).filter((at) => mask[at]);
    const sorted = tokens.map((at) => entropies[at] ?? 0).toSorted((a, b) => a - b);
    const place = 0.8 * (sorted.length - 1);
    const [below, above] = [sorted[Math.floor(place)] ?? 0, sorted[Math.ceil(place)] ?? 0];
    const quantile = below + (place - Math.floor(place)) * (above - below);
    return tokens.filter((at) => (entropies[at] ?? 0) > quantile);
  });
}

/** Each token's turn log-ratio: mean or sum of log(π/π_old) over the turn, known by its index in the row. */
function turnRatios(batch: SignalBatch, length: "mean" | "sum") {
  const turns = new Map<string, number[]>();
  for (const at of responseTokens(batch)) {
    const key = `${Math.floor(at / batch.shape[1])} ${batch.turns?.[at] ?? 0}`;
    turns.set(key, [...(turns.get(key) ?? []), at]);
  }
  return [...turns.values()].flatMap((tokens) => {
    const total = tokens.reduce((sum, at) => sum + boundedLogRatio(batch, at), 0);
    return tokens.map((at) => ({ at, logRatio: length === "mean" ? total / tokens.length : total }));
  });
}

function numChosen({ share }: { share: number }, tokens: readonly number[]): number {
  return Math.max(1, Math.floor(share * tokens.length));
}

/** Covariance term (A − mean A)·(log π − mean log π) of every token, as in Clip-Cov and KL-Cov. */
function covariancesOf({ advantages, logProbs }: TokenBatch, tokens: readonly number[]): number[] {
  const meanAdvantage = meanOf(tokens.map((at) => advantages[at] ?? 0));
  const meanLogProb = meanOf(tokens.map((at) => logProbs[at] ?? 0));
  return tokens.map((at) => ((advantages[at] ?? 0) - meanAdvantage) * ((logProbs[at] ?? 0) - meanLogProb));
}

function ratioAt(batch: TokenBatch, at: number): number {
  return Math.exp(boundedLogRatio(batch, at));
}

function boundedLogRatio({ logProbs, oldLogProbs }: TokenBatch, at: number): number {
  return boundLogRatio((logProbs[at] ?? 0) - (oldLogProbs[at] ?? 0));
}
