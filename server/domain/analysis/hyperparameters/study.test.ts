import { describe, expect, it } from "vitest";
import { split } from "#trainer/spec/rng.ts";
import { scaleOf } from "./column.ts";
import { describeLeftOut, studyImportance, summariseImportance } from "./study.ts";

const rng = split(4, "study");
const runs = Array.from({ length: 48 }, (_, i) => ({
  method: ["GRPO", "GSPO", "SAPO"][i % 3] ?? "",
  ratio: ["token", "sequence", "sequence"][i % 3] ?? "",
  lr: [1e-5, 1e-4, 1e-3][Math.floor(i / 3) % 3] ?? 0,
  seed: rng.next(),
}));
const columns = [
  { key: "method", title: "Method", values: runs.map(({ method }) => method) },
  { key: "clipping", title: "Clipping", values: runs.map(({ ratio }) => ratio) },
  { key: "lr", title: "Learning rate", values: runs.map(({ lr }) => lr) },
  { key: "scale", title: "Scale", values: runs.map(({ lr }) => `${lr * 10}`) },
  { key: "batch", title: "Batch", values: runs.map(() => 16) },
  { key: "name", title: "Name", values: runs.map((_, i) => `run ${i}`) },
];
const outcome = runs.map(({ method, lr, seed }) => (method === "GRPO" ? 0 : 3) + Math.log10(lr) + 0.1 * seed);

describe("what decides an outcome", () => {
  it("is measured for what varies by itself, and a sentence says of each other column why not", () => {
    const study = studyImportance(columns, outcome);
    const { parameters, leftOut, caveats, importance } = study;
    expect(summariseImportance(study)).toMatch(
      /^Method explains 7\d % of the variance that a random forest predicts from the settings\.$/,
    );
    expect(parameters.map(({ key }) => key)).toEqual(["method", "lr"]);
    expect(leftOut.map(describeLeftOut)).toEqual([
      "Clipping is determined by Method.",
      "Scale always changes together with Learning rate, so their effects cannot be separated.",
      "Batch has not varied: 16 in every run.",
      "Name has 48 categories, too many to compare.",
    ]);
    expect(caveats).toEqual([]);
    // The variance due to the method is 2, and that due to the learning rate 2/3.
    expect(importance?.mains[0]?.mean).toBeCloseTo(0.75, 1);
    expect(importance?.mains[1]?.mean).toBeCloseTo(0.25, 1);
  });

  it.each([
    [
      "9 runs have a value of the outcome. Importance needs at least 10 runs.",
      outcome.map((y, i) => (i < 9 ? y : null)),
    ],
    ["All runs have the same value, so there is no difference that a parameter could explain.", outcome.map(() => 1)],
  ])("is not said: %s", (sentence, values) => {
    const { caveats, importance } = studyImportance(columns, values);
    expect([caveats, importance]).toEqual([[sentence], undefined]);
  });

  it("is not said where nothing varies", () => {
    expect(studyImportance(columns.slice(4, 5), outcome).caveats).toEqual([
      "No parameter varies among these runs, so importance cannot be measured.",
    ]);
  });

  it("is called noise where the forest predicts nothing, and few where runs are few", () => {
    const noise = runs.map(() => rng.normal());
    const study = studyImportance(columns, noise);
    const { caveats, importance } = study;
    expect(importance).toBeUndefined();
    expect(summariseImportance(study)).toBe("");
    expect(caveats).toEqual([
      expect.stringMatching(
        /^The random forest does not predict held-out runs \(R² .*\): importances would be noise, and are not shown\.$/,
      ),
    ]);
    expect(
      studyImportance(
        columns,
        outcome.map((y, i) => (i < 18 ? y : null)),
      ).caveats,
    ).toEqual([
      "There are only 18 runs for 2 parameters: the order of the less important parameters may be due to chance.",
    ]);
  });
});

describe("the scale of a column", () => {
  it.each([
    [[1e-5, 1e-4, 1e-3, 1e-4], { kind: "numeric", isLog: true, isGrid: false, levels: [1e-5, 1e-4, 1e-3] }],
    [[1e-4, 1e-3, 1e-4, 1e-3], { kind: "numeric", isLog: true, isGrid: true, levels: [1e-4, 1e-3] }],
    [[0, 25, 50, 75, 100], { kind: "numeric", isLog: false, isGrid: false, levels: [0, 25, 50, 75, 100] }],
    [[1, 20, 40, 60, 80], { kind: "numeric", isLog: false, isGrid: false, levels: [1, 20, 40, 60, 80] }],
    [[0.1, 0.1, null, 0.2, 0.2], { kind: "named", levels: ["0.1", "0.2", "none"] }],
    [["b", "a", "b"], { kind: "named", levels: ["a", "b"] }],
  ])("of %j", (values, expected) => {
    expect(scaleOf(values)).toEqual(expected);
  });
});
