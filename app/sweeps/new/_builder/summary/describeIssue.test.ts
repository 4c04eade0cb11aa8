import { describe, expect, it } from "vitest";
import { checkDraft } from "../draft/toPlan.ts";
import { emptyDraft } from "../draft/draft.ts";
import { countFileProblems, listProblems } from "./describeIssue.ts";

describe("what is to correct before launch", () => {
  it("names fields by title and section, since their messages stand beside them, and the section of a missing method", () => {
    const draft = { ...emptyDraft(), seeds: "0, x", values: { "optimizer.learningRate": "2" } };
    expect(listProblems(checkDraft(draft).issues)).toEqual([
      { text: "Learning rate", section: "section-hyperparameters" },
      { text: "Seeds", section: "section-basics" },
    ]);
    expect(listProblems(checkDraft(emptyDraft()).issues)).toEqual([{ text: "Methods", section: "section-methods" }]);
  });

  it("says in whole what no field shows", () => {
    const draft = { ...emptyDraft(), values: { "optimizer.momentum": "2" } };
    expect(listProblems(checkDraft(draft).issues)).toEqual([
      { text: 'momentum: "optimizer.momentum" is no hyperparameter', section: undefined },
    ]);
    const refused = [{ field: "values.optimizer.beta2", message: "0.99 is refused" }];
    expect(countFileProblems(2, refused).map(({ text }) => text)).toEqual([
      "2 problems of the file, named above it",
      "AdamW β₂: 0.99 is refused",
    ]);
  });
});
