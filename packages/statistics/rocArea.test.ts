import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { makeRocArea, type Scored } from "./rocArea.ts";

const Fixture = z.object({
  value: z.array(z.number()),
  isEvent: z.array(z.boolean()),
  unit: z.array(z.int()),
  weight: z.array(z.number()),
  area: z.number(),
});
const text = readFileSync(new URL("testing/rocFixtures.json", import.meta.url), "utf8");
const fixtures = z
  .array(Fixture)
  .parse(JSON.parse(text))
  .map(({ value, isEvent, unit, ...rest }) => ({
    ...rest,
    scored: value
      .map((x, i): Scored => ({ value: x, isEvent: isEvent[i] ?? false, unit: unit[i] ?? 0 }))
      .toSorted((a, b) => a.value - b.value),
  }));

/** Reference implementation that compares all pairs of an event and a non-event, with weights. */
function comparePairs(scored: readonly Scored[], weights: readonly number[]): number {
  let [won, all] = [0, 0];
  for (const event of scored.filter(({ isEvent }) => isEvent)) {
    for (const other of scored.filter(({ isEvent }) => !isEvent)) {
      const weight = (weights[event.unit] ?? 0) * (weights[other.unit] ?? 0);
      won += weight * (event.value > other.value ? 1 : event.value === other.value ? 0.5 : 0);
      all += weight;
    }
  }
  return won / all;
}

describe("area under the ROC curve", () => {
  it.each(fixtures)("is scikit-learn's, and that of all pairs ($area)", ({ scored, weight, area }) => {
    expect(makeRocArea(scored, weight.length)(weight)).toBeCloseTo(area, 12);
    expect(makeRocArea(scored, weight.length)(weight)).toBeCloseTo(comparePairs(scored, weight), 12);
  });

  it("is a half where the score never varies, and NaN where nothing is to be told apart", () => {
    const flat = [true, false, false].map((isEvent): Scored => ({ value: 1, isEvent, unit: 0 }));
    expect(makeRocArea(flat, 1)([1])).toBe(0.5);
    expect(makeRocArea(flat, 1)([0])).toBeNaN();
    expect(makeRocArea(flat.slice(1), 1)([1])).toBeNaN();
  });
});
