import { describe, expect, it } from "vitest";
import type { GroupHead, GroupTurn } from "#server/api/runs/groups.ts";
import { describeToken, effectOf, filterGroups, findGroup, groupsPart, sayGroup } from "./prepareGroups.ts";

const plain: GroupHead = {
  attempt: 1,
  iteration: 5,
  group: 0,
  task: 1,
  returns: [0, 1],
  successes: [false, true],
  advantages: [-1, 1],
  numTurns: [1, 1],
  numTokens: [10, 10],
  clipped: 0.1,
  masked: 0,
  marks: [],
};
const groups: GroupHead[] = [
  plain,
  { ...plain, iteration: 10, successes: [false, false], returns: [0, 0], advantages: [0, 0], marks: ["zeroVariance"] },
  { ...plain, iteration: 15, successes: [true, true], clipped: 0.3, task: 2 },
  { ...plain, iteration: 20, numTokens: [90, 90], marks: ["extreme"], clipped: null, masked: null },
];

describe("filters", () => {
  it.each([
    ["all", [5, 10, 15, 20]],
    ["failed", [10]],
    ["solved", [15]],
    ["clipped", [15]],
    ["extreme", [20]],
    ["longest", [20]],
  ] as const)("%s", (filter, iterations) => {
    expect(filterGroups(groups, { filter }).map(({ iteration }) => iteration)).toEqual(iterations);
  });

  it("keep one task over iterations", () => {
    expect(filterGroups(groups, { filter: "all", task: 2 })).toEqual([groups[2]]);
  });
});

it("finds the group that an address names, or else the next one", () => {
  expect(findGroup(groups, { filter: "all", iteration: 10, group: 0 })).toBe(groups[1]);
  expect(findGroup(groups, { filter: "all", iteration: 11 })).toBe(groups[2]);
  expect(findGroup(groups, { filter: "all", iteration: 99 })).toBe(groups[3]);
  expect(findGroup(groups, { filter: "all" })).toBe(groups[0]);
});

it("keeps all choices in the address", () => {
  const address = { iteration: 15, group: 2, filter: "clipped", task: 7 } as const;
  const query = groupsPart.write(new URLSearchParams("tab=groups"), address);
  expect(query.toString()).toBe("tab=groups&groups=clipped&at=15.2&task=7");
  expect(groupsPart.parse(query)).toEqual(address);
  expect(groupsPart.parse(new URLSearchParams("at=x.1&task=-3&groups=y"))).toEqual({ filter: "all", group: 1 });
});

it("says what is special about a group", () => {
  expect(groups.map(sayGroup)).toEqual([
    "Iteration 5, task 1: 1 of 2 episodes succeeded, returns from 0 to 1.00; the loss clipped 10.0\u00A0% and masked 0\u00A0% of the tokens.",
    "Iteration 10, task 1: 0 of 2 episodes succeeded, all with the return 0, and their advantages are zero; the loss clipped 10.0\u00A0% and masked 0\u00A0% of the tokens.",
    "Iteration 15, task 2: 2 of 2 episodes succeeded, returns from 0 to 1.00; the loss clipped 30.0\u00A0% and masked 0\u00A0% of the tokens.",
    "Iteration 20, task 1: 1 of 2 episodes succeeded, returns from 0 to 1.00; the file does not say what the loss did.",
  ]);
});

it("names the effect of the loss by gradient and fate, and leaves what is missing empty", () => {
  const gradient = [-0.2, 0.1, 0, null, 0];
  const fate = ["used", "used", "used", null, "clippedLow"] as const;
  const turn: GroupTurn = {
    prompt: "",
    reward: null,
    tokens: {
      text: ["a", "b", "c", "d", "e"],
      gradient,
      fate: [...fate],
      id: [1],
      samplerLogProb: [-1],
      oldLogProb: [-1],
      logProb: [-0.5],
      ratio: [1.65],
      advantage: [1],
      weight: [0.5],
      loss: [-1.65],
    },
  };
  const effects = gradient.map((_, i) => effectOf(turn.tokens, i));
  expect(effects).toEqual(["raised", "lowered", "none", "unknown", "clippedLow"]);
  expect(describeToken(turn, 0)).toContainEqual({ name: "Ratio", value: "1.65" });
  expect(describeToken(turn, 3).map(({ value }) => value)).toEqual(Array(11).fill("not recorded"));
});
