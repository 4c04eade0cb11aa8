import { expect, it } from "vitest";
import { aggregationWeights } from "#trainer/objective/aggregation.ts";
import { keptRows, maskRows } from "#trainer/objective/sequenceMask.ts";
import { perToken } from "#trainer/objective/testing/perToken.ts";
import { plainPolicyLoss } from "#trainer/objective/testing/plainLoss.ts";
import { methodOfCase, readVectors } from "#trainer/objective/testing/vectors.ts";
import { effectiveAggregation, type Method, methodNames, methodOf } from "#trainer/spec/method.ts";
import { sequenceMaskOf } from "#trainer/spec/traits.ts";
import { reportObjective } from "./objectiveReport.ts";
import { type SeenRow, tokenLosses } from "./tokenLosses.ts";

const vectors = readVectors();
const { mask, old, new: now, adv_seq } = vectors.inputs;
const shape = [mask.length, mask[0]?.length ?? 0] as const;
const lengths = mask.map((row) => row.filter((x) => x === 1).length);

/** Values of the (B, T) vectors without padding, in single precision as in training. */
function rowsOf(method: Method, numRows: number): SeenRow[] {
  const floats = (values: readonly number[]) => Float32Array.from(values);
  const [masks, logProbs, oldLogProbs] = [floats(mask.flat()), floats(now.flat()), floats(old.flat())];
  const advantages = floats(perToken(adv_seq, shape));
  const delta = sequenceMaskOf(method.clipping)?.delta;
  const kept =
    delta === undefined ? undefined : keptRows({ shape, mask: masks, logProbs, oldLogProbs, advantages }, delta);
  const options = { aggregation: effectiveAggregation(method), normaliserTokens: shape[1], numRows };
  const weights = aggregationWeights(kept ? maskRows(masks, shape, kept) : masks, shape, options);
  return lengths.map((length, i) => {
    const cut = (values: Float32Array) => values.slice(i * shape[1], i * shape[1] + length);
    return {
      row: { prompt: new Int32Array(1), response: new Int32Array(length), advantages: cut(advantages) },
      logProbs: cut(logProbs),
      anchorLogProbs: cut(oldLogProbs),
      weights: cut(weights),
      signal: new Float32Array(length),
      isKept: kept?.[i] ?? true,
    };
  });
}

// The vectors are NumPy's: GRPO, DAPO (clip-higher), CISPO, SAPO and GSPO, whose clipping SAMPO has. Advantages of
// GRPO and GiGPO are compared with them in objective/vectors.test.ts.
it.each(vectors.cases)(
  "loss, gradient, ratio and clipping of every token equal the golden vectors: $name",
  async (golden) => {
    const method = methodOfCase(golden);
    const isSummed = golden.agg === "seq-mean-token-sum-norm";
    const rows = rowsOf(method, isSummed ? 1 : shape[0]);
    const tokens = await tokenLosses(method, rows);
    for (const [i, { gradients, losses, ratios, fates }] of tokens.entries()) {
      const { logProbs, anchorLogProbs, row, weights } = rows[i] ?? raise();
      for (const [t, gradient] of gradients.entries()) {
        expect(Math.abs(gradient - (golden.grad[i]?.[t] ?? NaN))).toBeLessThan(1e-6);
        const ratio = Math.exp((now[i]?.[t] ?? NaN) - (old[i]?.[t] ?? NaN));
        expect(Math.abs((ratios[t] ?? NaN) - (golden.info.s?.[i] ?? ratio))).toBeLessThan(1e-6);
      }
      // A row's losses equal those of plain arithmetic, written from the papers, in double precision.
      const plain = [...weights].map((weight) => [weight]);
      const one = (values: ArrayLike<number>) => [Array.from(values)];
      const batch = {
        oldLogProbs: one(anchorLogProbs),
        referenceLogProbs: one(anchorLogProbs),
        advantages: one(row.advantages),
        signal: one(new Float32Array(weights.length)),
      };
      for (const [t, loss] of losses.entries()) {
        const only = [plain.map((_, u) => Number(u === t))];
        const expected = plainPolicyLoss(method.clipping, { ...batch, weights: only }, one(logProbs), one(logProbs));
        expect(Math.abs(loss - expected)).toBeLessThan(1e-6);
      }
      expect(fates.every((fate) => fate === "maskedRow")).toBe(golden.dropped_rows?.includes(i) ?? false);
    }
    const total = tokens.flatMap(({ losses }, i) => [...losses].map((x, t) => x * (rows[i]?.weights[t] ?? NaN)));
    expect(Math.abs(total.reduce((sum, x) => sum + x, 0) - golden.loss)).toBeLessThan(1e-6);
    const inRows = tokens.flatMap(({ fates }) => fates).filter((fate) => fate !== "maskedRow");
    const clipped = inRows.filter((fate) => fate === "clippedHigh" || fate === "clippedLow").length / inRows.length;
    // SAPO has no bound: its clipped fraction is a diagnostic of the range that others have.
    const expected = method.clipping.kind === "sapo" ? 0 : golden.info.clipfrac;
    if (expected !== undefined) expect(clipped).toBeCloseTo(expected, 9);
  },
);

it.each(methodNames)("%s: the losses of tokens sum to the loss of the report, and have its gradients", async (name) => {
  const method = methodOf(name);
  const noPenalty = { klCoef: 0, klEstimator: "k3", klPlacement: "loss", entropyCoef: 0 } as const;
  const entropies = Float64Array.from(mask.flat(), (_, at) => 1 + (at % 3));
  const report = await reportObjective({
    method,
    update: { ...noPenalty, truncatedImportance: null, denominatorRows: null },
    maxResponseTokens: shape[1],
    seed: 0,
    shape,
    mask: Uint8Array.from(mask.flat()),
    logProbs: Float64Array.from(now.flat()),
    oldLogProbs: Float64Array.from(old.flat()),
    oldEntropies: entropies,
    newEntropies: entropies,
    turns: perToken([0, 0, 1, 1], shape),
    credit: { kind: "advantages", advantages: Float64Array.from(perToken(adv_seq, shape)) },
  });
  const seen = rowsOf(method, shape[0]).map((row, i) => {
    const cut = (values: readonly number[] = []) => Float32Array.from(values.slice(0, lengths[i]));
    const signal = report.signal ? cut(report.signal[i]) : row.signal;
    return { ...row, weights: cut(report.weights[i]), signal, isKept: report.keptRows?.[i] ?? true };
  });
  const tokens = await tokenLosses(method, seen);
  const terms = tokens.flatMap(({ losses }, i) => [...losses].map((x, t) => x * (seen[i]?.weights[t] ?? NaN)));
  expect(terms.reduce((sum, x) => sum + x, 0)).toBeCloseTo(report.loss.policy, 5);
  for (const [i, { gradients }] of tokens.entries()) {
    for (const [t, x] of gradients.entries()) expect(x).toBeCloseTo(report.gradient[i]?.[t] ?? NaN, 5);
  }
});

function raise(): never {
  throw new Error("no such row");
}
