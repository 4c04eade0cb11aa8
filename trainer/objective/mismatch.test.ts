import { describe, expect, it } from "vitest";
import { describeMismatch, splitMismatch, type MismatchRow } from "./mismatch.ts";

const rowsOf = (old: readonly (readonly number[])[], sampler: readonly (readonly number[])[]): MismatchRow[] =>
  old.map((oldLogProbs, i) => ({ oldLogProbs, samplerLogProbs: sampler[i] ?? [] }));

/** Four rows with one to five tokens. */
const a = rowsOf(
  [
    [-0.703, -1.3514, -1.15, -1.2252],
    [-1.0699, -1.4, -0.7678, -1.3, -1.425],
    [-0.5, -1.25],
    [-0.3, -0.8865, -0.3601],
  ],
  [
    [-0.7115, -1.3549, -0.1376, -1.1992],
    [-1.0897, -3.3, -0.7854, -0.5997, -1.3983],
    [-0.5, -1.25],
    [-1.6488, -0.9092, -0.3131],
  ],
);
/** Rows that include an empty one, one with a single token, and one on which both policies agree. */
const c = rowsOf(
  [[-0.7, -0.4, -1.1, -2], [], [-3], [-1.8261, -1.8492, -0.5437]],
  [[-0.7, -0.4, -1.1, -2], [], [-2.2], [-1.7067, -1.6818, -0.4636]],
);

/** Reference values from an independent computation in double precision; verl's functions (1dda039) differ by 1e-9. */
const expected = {
  a: {
    "policy/samplerKl": -0.10775,
    "policy/samplerMismatch": 0.366664285714,
    "policy/samplerProbabilityGap": 0.119034729691,
    "policy/samplerChiSquared": 3.991297640178,
    "policy/samplerEffectiveSampleFraction": 0.466953791403,
    "mismatch/k3": 0.418914782165,
    "mismatch/absMax": 1.9,
    "mismatch/probMax": 0.554810431541,
    "mismatch/multError": 1.819966200568,
    "mismatch/js": 0.056567470511,
    "mismatch/ratioMin": 0.363345902133,
    "mismatch/ratioMax": 6.685894442279,
    "mismatch/rowRatioMin": 0.358294501811,
    "mismatch/rowRatioMax": 3.760304732517,
    "mismatch/geoRatioMin": 0.773677622929,
    "mismatch/geoRatioMax": 1.555038027008,
    "mismatch/chi2Row": 5.630781558347,
    "mismatch/essRow": 0.676757897085,
    "mismatch/logPplGap": -0.106745,
    "mismatch/logPplGapAbs": 0.235045,
  },
  c: {
    "policy/samplerKl": 0.1458625,
    "policy/samplerMismatch": 0.1458625,
    "policy/samplerProbabilityGap": 0.019816770502,
    "policy/samplerChiSquared": -0.180384569422,
    "policy/samplerEffectiveSampleFraction": 0.962541793601,
    "mismatch/k3": 0.034070868915,
    "mismatch/absMax": 0.8,
    "mismatch/probMax": 0.061016089994,
    "mismatch/multError": 1.202247993529,
    "mismatch/js": 0.010504377803,
    "mismatch/ratioMin": 0.449328964117,
    "mismatch/ratioMax": 1,
    "mismatch/rowRatioMin": 0.449328964117,
    "mismatch/rowRatioMax": 1,
    "mismatch/geoRatioMin": 0.449328964117,
    "mismatch/geoRatioMax": 1,
    "mismatch/chi2Row": -0.439340757033,
    "mismatch/essRow": 0.909456088608,
    "mismatch/logPplGap": 0.307433333333,
    "mismatch/logPplGapAbs": 0.307433333333,
  },
};

const close = (values: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(values).map(([key, x]) => [key, expect.closeTo(x, 10)]));

describe("what verl, NeMo RL, TRL and VCPO say of a mismatch", () => {
  it.each([
    ["rows of several lengths", a, expected.a],
    ["an empty row, a row of one token and one that agrees", c, expected.c],
  ])("%s", (_, rows, values) => {
    const {
      "policy/samplerRatioMean": mean = NaN,
      "policy/samplerRatioStd": std = NaN,
      ...rest
    } = describeMismatch(rows);
    expect(rest).toEqual(close(values));
    // χ² equals the mean square of the ratio minus one.
    expect(mean ** 2 + std ** 2 - 1).toBeCloseTo(values["policy/samplerChiSquared"], 10);
  });
});

it("two policies that agree have no mismatch in any of them, to the last bit", () => {
  const rows = a.map(({ oldLogProbs }) => ({ oldLogProbs, samplerLogProbs: oldLogProbs }));
  const isOne = /ratio|Ratio(Mean|Min|Max)|ess|multError|EffectiveSample/;
  const off = Object.entries(describeMismatch(rows)).filter(
    ([key, x]) => Math.abs(x - (isOne.test(key) && !key.endsWith("Std") ? 1 : 0)) > 1e-15,
  );
  expect(off).toEqual([]);
});

it("nothing is said of no tokens", () => {
  expect(describeMismatch([{ oldLogProbs: [], samplerLogProbs: [] }])).toEqual({});
  expect(splitMismatch([])).toEqual({});
});

it("what lies further apart than a float can tell stays finite, and what is not a number is not hidden", () => {
  const far = describeMismatch(rowsOf([[-900, -1]], [[-1, -900]]));
  expect(Object.values(far).filter((x) => !Number.isFinite(x))).toEqual([]);
  expect(far["mismatch/ratioMax"]).toBeCloseTo(Math.exp(20), 0);
  expect(describeMismatch(rowsOf([[NaN, -1]], [[-1, -1]]))["mismatch/k3"]).toBeNaN();
});

it("staleness and precision add up to the whole, each 0 where it is not at work", () => {
  const lags = a.map((row) => ({ ...row, lagLogProbs: Array.from(row.oldLogProbs, (x, t) => x - 0.1 * (t % 2)) }));
  const parts = splitMismatch(lags);
  expect((parts["mismatch/stalenessK1"] ?? NaN) + (parts["mismatch/precisionK1"] ?? NaN)).toBeCloseTo(-0.10775, 10);
  const k3 = expected.a["mismatch/k3"];
  const asOld = splitMismatch(a.map((row) => ({ ...row, lagLogProbs: row.oldLogProbs })));
  expect([asOld["mismatch/stalenessK3"], asOld["mismatch/precisionK3"]]).toEqual([0, expect.closeTo(k3, 10)]);
  const asSampler = splitMismatch(a.map((row) => ({ ...row, lagLogProbs: row.samplerLogProbs })));
  expect([asSampler["mismatch/stalenessK3"], asSampler["mismatch/precisionK3"]]).toEqual([expect.closeTo(k3, 10), 0]);
});
