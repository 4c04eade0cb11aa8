import { describe, expect, it } from "vitest";
import { keptRows, maskRows } from "./sequenceMask.ts";
import { perToken } from "./testing/perToken.ts";

const shape = [1, 2] as const;
const row = (advantage: number, drift: number): Parameters<typeof keptRows>[0] => ({
  shape,
  logProbs: [-drift, -drift],
  oldLogProbs: [0, 0],
  advantages: perToken([advantage], shape),
  mask: [1, 1],
});

describe("a row is dropped iff its advantage is negative and κ exceeds δ", () => {
  it.each([
    { advantage: -1, drift: 0.5, delta: 0.25, isKept: false },
    { advantage: -1, drift: 0.25, delta: 0.25, isKept: true },
    { advantage: -1, drift: -0.5, delta: 0.25, isKept: true },
    { advantage: 0, drift: 0.5, delta: 0.25, isKept: true },
    { advantage: 1, drift: 0.5, delta: 0.25, isKept: true },
    { advantage: -1e-9, drift: 1e-9, delta: 0, isKept: false },
  ])("A $advantage, κ $drift, δ $delta: kept $isKept", ({ advantage, drift, delta, isKept }) => {
    expect(keptRows(row(advantage, drift), delta)).toEqual([isKept]);
  });

  it("reads response tokens only", () => {
    const padded = {
      ...row(-1, 0),
      shape: [1, 3] as const,
      logProbs: [0, 0, -99],
      oldLogProbs: [0, 0, 0],
      advantages: [-1, -1, -1],
    };
    expect(keptRows({ ...padded, mask: [1, 1, 0] }, 0.25)).toEqual([true]);
    expect(keptRows({ ...padded, mask: [0, 0, 0] }, 0.25)).toEqual([true]);
  });
});

it("masks dropped rows whole and leaves the others as they are", () => {
  expect([...maskRows([1, 0, 1, 1], [2, 2], [true, false])]).toEqual([1, 0, 0, 0]);
});
