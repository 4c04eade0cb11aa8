import { describe, expect, it } from "vitest";
import { describeSamples, passAtK } from "./evaluate.ts";

/** Computes pass@k by enumerating every choice of k samples. */
function passByEnumeration(successes: readonly boolean[], k: number): number {
  let [passing, all] = [0, 0];
  for (let chosen = 0; chosen < 2 ** successes.length; chosen++) {
    const samples = successes.filter((_, i) => (chosen >> i) & 1);
    if (samples.length !== k) continue;
    all += 1;
    if (samples.some(Boolean)) passing += 1;
  }
  return passing / all;
}

const samplesOf = (n: number, c: number) => Array.from({ length: n }, (_, i) => i < c);

describe("pass@k", () => {
  it("is the share of all choices of k samples of which one succeeds", () => {
    for (let n = 1; n <= 9; n++) {
      for (let c = 0; c <= n; c++) {
        for (let k = 1; k <= n; k++) {
          expect(passAtK({ n, c }, k)).toBeCloseTo(passByEnumeration(samplesOf(n, c), k), 12);
        }
      }
    }
  });

  it("is the mean for k = 1, and no number for 256 samples overflows", () => {
    expect(passAtK({ n: 256, c: 64 }, 1)).toBeCloseTo(0.25, 12);
    expect(passAtK({ n: 256, c: 1 }, 128)).toBeCloseTo(0.5, 12);
  });

  it("grows with k, where k@n falls, and both meet the samples at the ends", () => {
    const groups = [0, 1, 3, 8, 8].map((c) => ({ successes: samplesOf(8, c) }));
    const values = describeSamples(groups);
    expect(Object.keys(values)).toEqual(["passAt2", "atLeast2", "passAt4", "atLeast4", "passAt8", "atLeast8"]);
    expect(values["passAt8"]).toBe(0.8);
    expect([values["atLeast2"], values["atLeast4"], values["atLeast8"]]).toEqual([0.6, 0.4, 0.4]);
    expect(values["passAt2"]).toBeLessThan(values["passAt4"] ?? 0);
  });

  it("is nothing beside the mean for one sample a task", () => {
    expect(describeSamples([{ successes: [true] }, { successes: [false] }])).toEqual({});
    expect(describeSamples([])).toEqual({});
  });
});
