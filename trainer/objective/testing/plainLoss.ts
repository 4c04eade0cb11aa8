import type { Clipping } from "#trainer/spec/dimensions.ts";
import type { KlEstimator } from "../kl.ts";

/** Minibatch as nested lists: one list of response tokens per row, without padding. */
export type PlainBatch = {
  oldLogProbs: readonly (readonly number[])[];
  referenceLogProbs: readonly (readonly number[])[];
  advantages: readonly (readonly number[])[];
  signal: readonly (readonly number[])[];
  weights: readonly (readonly number[])[];
};
type Rows = readonly (readonly number[])[];

/**
 * Policy loss Σ W·ℓ in plain double-precision arithmetic, written only from the papers and independent of the
 * trainer. Terms that a paper treats as constant are computed from `frozen`, so that numerical differences in
 * `logProbs` give the gradient.
 */
export function plainPolicyLoss(clipping: Clipping, batch: PlainBatch, logProbs: Rows, frozen: Rows): number {
  let total = 0;
  for (const [i, ofRow] of logProbs.entries()) {
    const old = batch.oldLogProbs[i] ?? [];
    const still = frozen[i] ?? [];
    const advantages = batch.advantages[i] ?? [];
    const meanAdvantage = mean(advantages);
    for (const [t, logProb] of ofRow.entries()) {
      const oldLogProb = old[t] ?? NaN;
      const advantage = advantages[t] ?? NaN;
      const signal = batch.signal[i]?.[t] ?? NaN;
      const ratio = Math.exp(within(logProb - oldLogProb, -20, 20));
      const loss = (): number => {
        switch (clipping.kind) {
          case "token": {
            const free = Math.min(ratio, clipping.twoSided ?? Infinity);
            return dual(clipping.dual, advantage, -Math.min(advantage * free, advantage * clip(ratio, clipping)));
          }
          case "sequence": {
            const A = clipping.credit === "row" ? meanAdvantage : advantage;
            const logMean = mean(still.map((x, s) => x - (old[s] ?? NaN)));
            const s = Math.exp(Math.min(logMean + logProb - (still[t] ?? NaN), 10));
            return -Math.min(A * s, A * clip(s, clipping));
          }
          case "sapo": {
            const tau = meanAdvantage > 0 ? clipping.tauPositive : clipping.tauNegative;
            return ((-4 / tau) * advantage) / (1 + Math.exp(-tau * (ratio - 1)));
          }
          case "cispo": {
            const stillRatio = Math.exp(within((still[t] ?? NaN) - oldLogProb, -20, 20));
            return -clip(stillRatio, clipping) * advantage * logProb;
          }
          case "aepo": {
            const A = advantage * (1 + clipping.entropyWeight * signal);
            const stillRatio = Math.exp((still[t] ?? NaN) - oldLogProb);
            const upper = (1 + clipping.high) * (signal > 0 ? 1 : ratio / stillRatio);
            const held = stillRatio > 1 + clipping.high ? upper : Math.max(ratio, 1 - clipping.low);
            return dual(clipping.dual, A, -Math.min(A * ratio, A * held));
          }
          case "geometricMean": {
            const sign = meanAdvantage > 0 ? 1 : -1;
            const bounded = ofRow.map((x, s) => {
              const d = x - (old[s] ?? NaN);
              return sign * Math.min(sign * d, sign * within(d, -clipping.low, clipping.high));
            });
            return -meanAdvantage * Math.exp(mean(bounded));
          }
          case "clipCov":
            return -signal * Math.min(advantage * ratio, advantage * clip(ratio, clipping));
          case "klCov":
            return -advantage * ratio + signal * clipping.weight * Math.abs(logProb - oldLogProb);
          case "divergence":
            return divergence(clipping, { advantage, logProb, oldLogProb, frozenLogProb: still[t] ?? NaN });
          case "quadratic": {
            const g = clipping.geometry === "ratio" ? 1 : Math.exp(oldLogProb);
            return -(ratio * advantage - (Math.abs(advantage) / (2 * clipping.delta)) * g * (ratio - 1) ** 2);
          }
          case "quadraticLog":
            return -(advantage * logProb - (clipping.beta / 2) * (logProb - oldLogProb) ** 2);
          case "vespo": {
            const logs = still.map((x, s) => within(x - (old[s] ?? NaN), -20, 20) + (batch.signal[i]?.[s] ?? NaN));
            const W = Math.exp(
              within(
                logs.reduce((sum, x) => sum + x, 0),
                -20,
                20,
              ),
            );
            const [k, lambda] =
              meanAdvantage < 0
                ? [clipping.kNegative, clipping.lambdaNegative]
                : [clipping.kPositive, clipping.lambdaPositive];
            return -Math.exp(lambda) * Math.max(W, 1e-8) ** k * Math.exp(-lambda * W) * advantage * logProb;
          }
          case "aspo": {
            const low = signal > 0.5 ? (clipping.lowWide ?? clipping.low) : clipping.low;
            const high = signal > 0.5 ? (clipping.highWide ?? clipping.high) : clipping.high;
            const w = Math.exp((still[t] ?? NaN) - oldLogProb);
            const factor = advantage < 0 ? Math.max(w, 1 - low) : 1 / Math.min(w, 1 + high);
            if (clipping.dual !== null && factor > clipping.dual) return -advantage * clipping.dual * logProb;
            const isHeld = advantage < 0 ? w < 1 - low : w > 1 + high;
            return -advantage * factor * (isHeld ? 1 : ratio / w);
          }
          case "gradientPreserving": {
            const w = Math.exp((still[t] ?? NaN) - oldLogProb);
            const [lowest, highest] = [1 - clipping.low, 1 + clipping.high];
            if (advantage > 0 && w > highest) return -clipping.betaHigh * highest * (ratio / w) * advantage;
            const isBelow = advantage < 0 && w < lowest;
            const loss = isBelow ? -clipping.betaLow * lowest * (ratio / w) * advantage : -ratio * advantage;
            return dual(clipping.dual, advantage, loss);
          }
          case "turn": {
            const s = Math.exp(Math.min(signal + logProb - (still[t] ?? NaN), 10));
            return -Math.min(advantage * s, advantage * clip(s, clipping));
          }
          case "score":
            return -advantage * logProb;
          case "ratio":
            return -advantage * ratio;
        }
      };
      total += (batch.weights[i]?.[t] ?? NaN) * loss();
    }
  }
  return total;
}

type Divergence = Extract<Clipping, { kind: "divergence" }>;
type Token = { advantage: number; logProb: number; oldLogProb: number; frozenLogProb: number };

function divergence(clipping: Divergence, { advantage, logProb, oldLogProb, frozenLogProb }: Token): number {
  const [p, q] = [Math.exp(frozenLogProb), Math.exp(oldLogProb)];
  const kl = q * (oldLogProb - frozenLogProb) + (1 - q) * Math.log((1 - q + 1e-8) / (1 - p + 1e-8));
  const isTv = clipping.measure === "tv";
  const isUp = isTv ? p - q > clipping.high : kl > clipping.high && p > q;
  const isDown = isTv ? q - p > clipping.low : kl > clipping.low && p < q;
  const isBad = clipping.sided === "both" ? isUp || isDown : advantage > 0 ? isUp : isDown;
  const weight = Math.min(Math.exp(within(frozenLogProb - oldLogProb, -20, 20)), clipping.cap ?? Infinity);
  const gain = clipping.surrogate === "score" ? weight * logProb : Math.exp(within(logProb - oldLogProb, -20, 20));
  return (isBad ? 0 : -advantage * gain) + clipping.drift * (logProb - oldLogProb) ** 2;
}

/** KL term Σ W·kl in double precision. Straight-through estimators have the numerical derivative of k2. */
export function plainKl(estimator: KlEstimator, batch: PlainBatch, logProbs: Rows): number {
  const estimate = (y: number, logRatio: number): number => {
    switch (estimator) {
      case "k1":
        return y;
      case "abs":
        return Math.abs(y);
      case "k3":
        return within(Math.exp(-y) + y - 1, -10, 10);
      case "k3w":
        return Math.exp(within(logRatio, -20, 20)) * within(Math.exp(-y) + y - 1, -10, 10);
      case "k2":
      case "k1+":
      case "abs+":
      case "k3+":
        return y ** 2 / 2;
    }
  };
  return logProbs.reduce(
    (total, ofRow, i) =>
      total +
      ofRow.reduce(
        (sum, x, t) =>
          sum +
          (batch.weights[i]?.[t] ?? NaN) *
            estimate(x - (batch.referenceLogProbs[i]?.[t] ?? NaN), x - (batch.oldLogProbs[i]?.[t] ?? NaN)),
        0,
      ),
    0,
  );
}

function dual(bound: number | null, advantage: number, loss: number): number {
  return bound !== null && advantage < 0 ? Math.min(loss, -advantage * bound) : loss;
}

function clip(ratio: number, { low, high }: { low: number; high: number }): number {
  return within(ratio, 1 - low, 1 + high);
}

function within(x: number, low: number, high: number): number {
  return Math.min(Math.max(x, low), high);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, x) => sum + x, 0) / values.length;
}
