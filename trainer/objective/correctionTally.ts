import { correctionOf } from "#trainer/spec/correction.ts";
import type { Method } from "#trainer/spec/method.ts";
import type { MetricKey } from "#trainer/spec/metric.ts";
import type { Corrected } from "./correction.ts";
import type { TokenShape } from "./aggregation.ts";

export type CorrectionTally = {
  numTokens: number;
  numRows: number;
  numTruncated: number;
  numRejectedTokens: number;
  /** Number of rows whose response tokens are all rejected. */
  numRejectedRows: number;
  /** Sums of the importance weights ω and of ω² over response tokens. */
  weights: number;
  squares: number;
  stepScale: number;
};

export function tallyCorrection(
  { weights, kept, numTruncated, stepScale }: Corrected,
  { mask, shape: [numRows, width] }: { mask: ArrayLike<number>; shape: TokenShape },
): CorrectionTally {
  const tally = { numTokens: 0, numRows: 0, numRejectedTokens: 0, numRejectedRows: 0, weights: 0, squares: 0 };
  for (let row = 0; row < numRows; row++) {
    let [length, numLeft] = [0, 0];
    for (let at = row * width; at < (row + 1) * width; at++) {
      if (!mask[at]) continue;
      length++;
      numLeft += kept[at] ?? 0;
      tally.weights += weights[at] ?? 0;
      tally.squares += (weights[at] ?? 0) ** 2;
    }
    tally.numTokens += length;
    tally.numRejectedTokens += length - numLeft;
    if (length > 0) tally.numRows++;
    if (length > 0 && numLeft === 0) tally.numRejectedRows++;
  }
  return { ...tally, numTruncated, stepScale };
}

/** Metrics of a correction over an iteration's minibatches; empty without a response token. */
export function describeCorrection(
  spec: { method: Method; update: { truncatedImportance: number | null } },
  tallies: readonly CorrectionTally[],
): Partial<Record<MetricKey, number>> {
  const correction = correctionOf(spec.method, spec.update);
  const sum = (read: (tally: CorrectionTally) => number): number =>
    tallies.reduce((total, one) => total + read(one), 0);
  const numTokens = sum((one) => one.numTokens);
  if (numTokens === 0) return {};
  const squares = sum((one) => one.squares);
  return {
    ...(correction.weight !== null && {
      "policy/truncatedImportanceFraction": sum((one) => one.numTruncated) / numTokens,
    }),
    // Runs with the older `truncatedImportance` log only the metric above, so that their logs stay unchanged.
    ...(spec.method.correction !== undefined && {
      ...(correction.weight !== null &&
        squares > 0 && { "correction/effectiveFraction": sum((one) => one.weights) ** 2 / (numTokens * squares) }),
      ...(correction.reject.length > 0 && {
        "correction/rejectedTokenFraction": sum((one) => one.numRejectedTokens) / numTokens,
        "correction/rejectedRowFraction": sum((one) => one.numRejectedRows) / sum((one) => one.numRows),
      }),
      ...(correction.step !== null && { "correction/stepScale": sum((one) => one.stepScale) / tallies.length }),
    }),
  };
}
