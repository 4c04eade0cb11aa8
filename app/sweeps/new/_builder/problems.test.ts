import { describe, expect, it } from "vitest";
import { checkDraft } from "./draft/toPlan.ts";
import { emptyDraft } from "./draft/draft.ts";
import { startSearch } from "./draft/searchDraft.ts";
import { describeSections } from "./sections.ts";
import { countFileProblems, listProblems } from "./problems.ts";

describe("what is to correct before launch", () => {
  it("names fields by title and section, since their messages stand beside them, and the section of a missing method", () => {
    const draft = { ...emptyDraft(), seeds: "0, x", values: { "optimizer.learningRate": "2" } };
    expect(listProblems(checkDraft(draft).issues)).toEqual([
      { text: "Learning rate", section: "section-hyperparameters" },
      { text: "Seeds", section: "section-basics" },
    ]);
    expect(listProblems(checkDraft(emptyDraft()).issues)).toEqual([{ text: "Methods", section: "section-methods" }]);
    const other = { ...draft, seeds: "0", plan: { "placement.slots": "0" }, values: { "budget.iterations": "-1" } };
    expect(listProblems(checkDraft({ ...other, search: { ...startSearch(), values: {} } }).issues)).toEqual([
      { text: "Iterations", section: "section-basics" },
      { text: "Slots of a run", section: "section-running" },
    ]);
    expect(listProblems([{ field: "search.trials", message: "is missing" }])).toEqual([
      { text: "Hyperparameter search: trials", section: "section-search" },
    ]);
  });

  it("says in whole what no field shows", () => {
    const draft = { ...emptyDraft(), values: { "optimizer.momentum": "2" } };
    expect(listProblems(checkDraft(draft).issues)).toEqual([
      { text: 'momentum: "optimizer.momentum" is no hyperparameter', section: undefined },
    ]);
    const refused = [{ field: "values.optimizer.beta2", message: "0.99 is refused" }];
    expect(countFileProblems(2, refused).map(({ text }) => text)).toEqual([
      "2 problems in the YAML text, listed above the text",
      "AdamW β₂: 0.99 is refused",
    ]);
  });
});

describe("the line about a section", () => {
  it("sums up what is set in it", () => {
    expect(describeSections(emptyDraft())).toEqual({
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
    const [sokoban] = emptyDraft().environments;
    if (!sokoban) throw new Error("no environment");
    expect(
      describeSections({
        ...emptyDraft(),
        environments: [{ ...sokoban, values: { ...sokoban.values, size: "7, 8" } }],
        values: { "optimizer.learningRate": "1e-3", "budget.iterations": "5", "policy.size": "micro" },
        search: startSearch(),
        plan: {
          "stopping.at": "collapsed",
          "rescue.on": "unstable",
          "placement.slots": "2",
          "placement.labels": "a100",
        },
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
