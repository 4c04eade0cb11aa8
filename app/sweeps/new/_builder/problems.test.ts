import { describe, expect, it } from "vitest";
import { checkFile } from "./draft/check.ts";
import { startSearch } from "./draft/planFields.ts";
import { emptyFile } from "./draft/sweepFile.ts";
import { listDoubts } from "#server/domain/plan/sweep/doubts.ts";
import { describeSections } from "./sections.ts";
import { countFileProblems, listProblems } from "./problems.ts";

describe("what is to correct before launch", () => {
  it("names fields by title and section, since their messages stand beside them, and the section of a missing method", () => {
    const file = { ...emptyFile, seeds: "0, x", base: { optimizer: { learningRate: 2 } } };
    expect(listProblems(checkFile(file).issues)).toEqual([
      { text: "Learning rate", section: "section-hyperparameters" },
      { text: "Seeds", section: "section-basics" },
    ]);
    expect(listProblems(checkFile(emptyFile).issues)).toEqual([{ text: "Methods", section: "section-methods" }]);
    const other = { ...emptyFile, placement: { slots: 0 }, base: { budget: { iterations: -1 } } };
    expect(listProblems(checkFile({ ...other, search: { ...startSearch(), trials: undefined } }).issues)).toEqual([
      { text: "Iterations", section: "section-basics" },
      { text: "Hyperparameter search: trials", section: "section-search" },
      { text: "Slots of a run", section: "section-running" },
    ]);
  });

  it("leaves the other runs countable", () => {
    const file = { ...emptyFile, methods: ["grpo", "sapo"], seeds: [0, 1, 2] };
    const numRuns = (changed: object) => checkFile({ ...file, ...changed }).countable?.expansion.runs.length;
    expect(numRuns({})).toBe(6);
    expect(numRuns({ base: { optimizer: { learningRate: "fast" }, rollout: { groupSize: 0 } } })).toBe(6);
    // An axis with a refused value is left out as a whole.
    expect(numRuns({ axes: { "optimizer.learningRate": [1e-4, 2], "update.klCoef": [0, 0.01] } })).toBe(12);
    expect(numRuns({ methods: [] })).toBeUndefined();
    expect(numRuns({ seeds: "0-3, x" }), "seeds that can be read").toBe(8);
    expect(numRuns({ seeds: [0, -1, 0.5, 2, 2] }), "seeds that are right").toBe(4);
    expect(numRuns({ seeds: "x" }), "no seed can be read").toBeUndefined();
    expect(numRuns({ name: "x".repeat(101), description: 3, placement: 2 })).toBe(6);
    expect(numRuns({ base: { policy: { pretrained: "" } } }), "no model named").toBe(6);
  });

  it("proposes as many seeds as the form advises", () => {
    const planned = checkFile({ ...emptyFile, methods: ["grpo", "sapo"] }).valid ?? expect.fail("no plan");
    expect(listDoubts({ cells: planned.expansion.cells, seeds: planned.plan.seeds })).toEqual([]);
    const fewer = planned.plan.seeds.slice(1);
    expect(listDoubts({ cells: planned.expansion.cells, seeds: fewer })).toHaveLength(1);
  });

  it("says in whole what no field shows", () => {
    const file = { ...emptyFile, base: { optimizer: { momentum: 2 } } };
    expect(listProblems(checkFile(file).issues)).toEqual([
      { text: expect.stringMatching(/^base\.optimizer\.momentum: .*unknown key/), section: undefined },
    ]);
    const refused = [{ field: "base.optimizer.beta2", message: "0.99 is refused" }];
    const inFile = ["a", "b"].map((path) => ({ path, message: "is wrong" }));
    expect(countFileProblems(inFile, refused).map(({ text }) => text)).toEqual([
      "2 problems in the YAML text, listed above the text",
      "AdamW β₂: 0.99 is refused",
    ]);
  });
});

describe("the line about a section", () => {
  it("sums up what is set in it", () => {
    expect(describeSections(emptyFile)).toEqual({
      settings: "Sokoban: defaults",
      elsewhere: "In the run’s own environment only",
      dimensions: "No levels ticked",
      policy: "Built-in, nano",
      hyperparameters: "Defaults",
      search: "Off",
      running: "1 slot of any node, no early stopping",
      trainer: "The built-in trainer",
      note: "None",
    });
    expect(
      describeSections({
        ...emptyFile,
        environments: [{ id: "sokoban", size: [7, 8], numBoxes: 1 }],
        base: { optimizer: { learningRate: 1e-3 }, budget: { iterations: 5 }, policy: { size: "micro" } },
        search: startSearch(),
        stopping: { at: "collapsed" },
        rescue: { on: "unstable" },
        placement: { slots: 2, labels: ["a100"] },
      }),
    ).toMatchObject({
      settings: "Sokoban: room size 7, 8",
      policy: "Built-in, micro",
      hyperparameters: "learning rate 1e-3",
      search: "TPE, 20 trials over learning rate",
      running: "2 slots of a node with labels a100, stops a run when collapsed, rescue when unstable",
    });
  });
});
