import { expect, it } from "vitest";
import { prepareMarking } from "./MarksDialog.tsx";

it("writes what a form changed and nothing else", () => {
  const before = { tags: ["paper", "old"], note: "a" };
  expect(prepareMarking(before, { tags: " paper,, new , ", note: "a" })).toEqual({
    addTags: ["new"],
    removeTags: ["old"],
  });
  expect(prepareMarking(before, { tags: "old, paper", note: "" })).toEqual({ note: "" });
  expect(prepareMarking(before, { tags: "paper, old", note: "a" })).toEqual({});
});
