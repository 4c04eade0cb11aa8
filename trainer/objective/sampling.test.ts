import { describe, expect, it } from "vitest";
import { selectGroups, zeroVarianceFraction } from "./sampling.ts";

const groups = [
  { name: "fails", rewards: [0, 0] },
  { name: "mixed", rewards: [0, 10] },
  { name: "solves", rewards: [10, 10] },
  { name: "also mixed", rewards: [10, 0] },
];

describe("dynamic sampling", () => {
  it.each([
    { isLastTry: false, deficit: 4, expected: ["mixed", "also mixed"] },
    { isLastTry: false, deficit: 1, expected: ["mixed"] },
    { isLastTry: true, deficit: 4, expected: ["mixed", "also mixed", "fails", "solves"] },
    { isLastTry: true, deficit: 3, expected: ["mixed", "also mixed", "fails"] },
    { isLastTry: true, deficit: 0, expected: [] },
  ])("last try $isLastTry, $deficit wanted: $expected", ({ expected, ...round }) => {
    expect(selectGroups(groups, round).map(({ name }) => name)).toEqual(expected);
  });

  it("counts a group of one episode as uniform", () => {
    expect(selectGroups([{ rewards: [1] }], { isLastTry: false, deficit: 1 })).toEqual([]);
  });

  it("reports the share of groups without signal", () => {
    expect(zeroVarianceFraction(groups)).toBe(0.5);
    expect(zeroVarianceFraction([])).toBe(0);
  });
});
