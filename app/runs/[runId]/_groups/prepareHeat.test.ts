import { expect, it } from "vitest";
import type { GroupHead } from "#server/api/runs/groups.ts";
import { countToken, emptyCounts } from "#trainer/spec/tokenBins.ts";
import { heatTicks, listCells, prepareHeat, sayHeat, toHeatRows } from "./prepareHeat.ts";

/** Index line of an iteration with tokens of these log-ratios, all with the advantage 1. */
function groupOf(iteration: number, ...logRatios: number[]): GroupHead {
  const trained = emptyCounts();
  for (const logRatio of logRatios) countToken(trained, { logRatio, advantage: 1 });
  const none = { returns: [], successes: [], advantages: [], numTurns: [], numTokens: [], marks: [] };
  return { attempt: 1, iteration, group: 0, task: 1, clipped: 0, masked: 0, ...none, trained };
}

/** Text with plain spaces in place of those that break no line. */
const plain = (text: string): string => text.replaceAll(/\s/g, " ");

it("has a column per iteration, and says how far most tokens are from 0", () => {
  const columns = prepareHeat([
    groupOf(5, 0, 0, 0),
    { ...groupOf(5), trained: undefined },
    groupOf(10, 0.15, -0.5, 20),
  ]);
  expect(columns.map(({ from, to }) => [from, to])).toEqual([
    [5, 5],
    [10, 10],
  ]);
  expect(listCells("logRatio", columns).map(({ words }) => plain(words))).toEqual([
    "iteration 5: −1.00e−4 to 1.00e−4, 3 tokens (100 %)",
    "iteration 10: −0.562 to −0.316, 1 token (33 %)",
    "iteration 10: 0.100 to 0.178, 1 token (33 %)",
    "iteration 10: 10.0 or more, 1 token (33 %)",
  ]);
  expect(plain(sayHeat("logRatio", columns))).toBe(
    "90 % of the tokens are within ±1.00e−4 in iteration 5, and not within ±10.0 in iteration 10. The darker, the more tokens; rare values are darkened.",
  );
  expect(plain(sayHeat("advantage", columns.slice(0, 1)))).toMatch(
    /^90 % of the tokens are within ±1\.13 in iteration 5\. /,
  );
});

it("adds neighbouring iterations where there are more than columns, and loses no token", () => {
  const columns = prepareHeat(Array.from({ length: 150 }, (_, i) => groupOf(5 * i, i / 100, 0)));
  expect(columns).toHaveLength(50);
  expect(columns[1]).toMatchObject({ from: 15, to: 25 });
  const rows = toHeatRows("logRatio", columns).slice(1);
  expect(rows).toHaveLength(50 * 43);
  expect(rows.reduce((sum, row) => sum + Number(row[4]), 0)).toBe(300);
});

it("names every second decade of the log-ratio, and whole steps of the advantage", () => {
  const named = (name: "logRatio" | "advantage") => {
    const { ticks, format } = heatTicks(name);
    return ticks.map(format);
  };
  const decades = ["0.001", "0.1", "10"];
  expect(named("logRatio")).toEqual([...decades.map((text) => `−${text}`).toReversed(), ...decades]);
  expect(named("advantage")).toEqual(["−3", "−2", "−1", "0", "1", "2", "3"]);
});
