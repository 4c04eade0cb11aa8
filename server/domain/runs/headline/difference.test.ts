import { describe, expect, it } from "vitest";
import { welchTest } from "#packages/statistics/twoSampleTests.ts";
import { describeDifferences, rankConfigurations, type Configuration } from "./rank.ts";

const configuration = (cellId: number, name: string, values: number[], environment = "Sokoban"): Configuration => {
  const collapses = { numRuns: 0, numJudged: 0, numCollapsed: 0, numUnclear: 0, numAwaited: 0, numAlarmed: 0 };
  return { cellId, method: name, name, task: environment, environment, values, starts: [], collapses };
};
const fraction = { unit: "fraction", better: "up" } as const;

describe("differences from a baseline", () => {
  it("have Welch's interval from three seeds on, and a sign", () => {
    const [a, b] = [
      [0.5, 0.6, 0.7],
      [0.5, 0.52, 0.57],
    ];
    const { difference, interval } = welchTest(a, b);
    const end = (x: number) => (100 * x).toFixed(0).replace("-", "−");
    const rankings = rankConfigurations(
      [configuration(1, "A", a), configuration(2, "B", b), configuration(3, "C", [0.1, 0.2])],
      fraction,
    );
    expect(Object.fromEntries(describeDifferences(rankings, 2, fraction))).toEqual({
      1: `+${(100 * difference).toFixed(1)} [${end(interval.low)}, ${end(interval.high)}]`,
      2: "baseline",
      3: "−38.0",
    });
  });

  it("are of the same configuration in another environment, and of nothing where it is not", () => {
    const rankings = rankConfigurations(
      [
        configuration(1, "A", [0.5]),
        configuration(2, "B", [0.4]),
        configuration(3, "A", [0.2], "WebShop"),
        configuration(4, "B", [0.3], "WebShop"),
        configuration(5, "C", [0.3], "ALFWorld"),
      ],
      fraction,
    );
    expect(Object.fromEntries(describeDifferences(rankings, 1, fraction))).toEqual({
      1: "baseline",
      2: "−10.0",
      3: "baseline",
      4: "+10.0",
    });
    expect(describeDifferences(rankings, 9, fraction).size).toBe(0);
  });
});
