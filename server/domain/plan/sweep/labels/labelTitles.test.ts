import { describe, expect, it } from "vitest";
import { differingFirst, shortLabel, titleOfLabel, withoutTitle } from "./labelTitles.ts";

it.each([
  ["learningRate 3e-4, lag.k 16", "learning rate 3e-4, lag 16"],
  ["k 16", "lag 16"],
  ["temperature 0.7", "temperature 0.7"],
  ["klCoef 0", "KL coefficient 0"],
  ["", ""],
  ["stated method", "stated method"],
  ["lr 1e-6", "lr 1e-6"],
  ["epochs 5", "epochs 5"],
  ["kind constant", "kind constant"],
])("words the label %j as %j", (label, words) => {
  expect(titleOfLabel(label)).toBe(words);
});

it.each([
  ["learningRate 3e-4, klCoef 0.01", "lr 3e-4, KL 0.01"],
  ["lag.k 16", "lag 16"],
  ["k 16", "lag 16"],
  ["learningRate 0.00025520833333333", "lr 2.552e-4"],
  ["klCoef 0.255208333333333", "KL 0.2552"],
  ["Sokoban, trial 3, learningRate 3e-4", "Sokoban, trial 3, lr 3e-4"],
  ["Sokoban numBoxes 1, maxTurns 8", "Sokoban, boxes 1, max turns 8"],
  ["Sokoban numBoxes 2 · learningRate 3e-4, klCoef 0.01", "Sokoban, boxes 2, lr 3e-4, KL 0.01"],
  ["Sokoban · klCoef 0", "Sokoban, KL 0"],
  ["Curriculum one-box → two-boxes", "Curriculum one-box → two-boxes"],
  ["Curriculum easy → hard iterations 5 · klCoef 0", "Curriculum easy → hard iterations 5, KL 0"],
  ["kind constant", "kind constant"],
  ["stated method", "stated method"],
  ["lr 1e-6", "lr 1e-6"],
  ["numGroups 16, groupSize 8", "groups 16, group size 8"],
  ["", ""],
])("shortens the label %j to %j", (label, words) => {
  expect(shortLabel(label)).toBe(words);
});

it("shortens a label once: a short one stays as it is", () => {
  for (const label of [
    "learningRate 3e-4, klCoef 0.01",
    "weightDecay 0.1",
    "minibatchRows 64, lag.k 4",
    "Sokoban numBoxes 2, maxTurns 8 · klCoef 0",
  ]) {
    expect(shortLabel(shortLabel(label))).toBe(shortLabel(label));
  }
});

it.each([
  ["Sokoban, boxes 1", "Sokoban", "boxes 1"],
  ["Mixture of easy and hard, KL 0", "Mixture", "easy and hard, KL 0"],
  ["Curriculum easy → hard", "Curriculum", "easy → hard"],
  ["TextWorld", "TextWorld", ""],
  ["Sokobanish", "Sokoban", "Sokobanish"],
  ["KL 0", "Sokoban", "KL 0"],
])("the label %j of %s without its environment is %j", (label, title, rest) => {
  expect(withoutTitle(label, title)).toBe(rest);
});

describe("labels of a sweep's cells", () => {
  const sorted = (...labels: string[]) => labels.map((label) => differingFirst(labels).get(label));

  it("begin with what differs: what more than half of the cells share comes last", () => {
    expect(
      sorted(
        "minibatchRows 128, learningRate 3e-4, klCoef 0",
        "minibatchRows 512, learningRate 3e-4, klCoef 0",
        "minibatchRows 128, learningRate 6e-5, klCoef 0",
        "minibatchRows 128, learningRate 3e-4, klCoef 0.05",
      ),
    ).toEqual([
      "minibatch 128, lr 3e-4, KL 0",
      "minibatch 512, lr 3e-4, KL 0",
      "lr 6e-5, minibatch 128, KL 0",
      "KL 0.05, minibatch 128, lr 3e-4",
    ]);
  });

  it("keep their order without a usual value", () => {
    const grid = ["learningRate 1e-4, klCoef 0", "learningRate 1e-4, klCoef 0.1", "learningRate 1e-3, klCoef 0"];
    expect(sorted(...grid, "learningRate 1e-3, klCoef 0.1")[1]).toBe("lr 1e-4, KL 0.1");
    expect(sorted("", "klCoef 0")).toEqual(["", "KL 0"]);
  });
});
