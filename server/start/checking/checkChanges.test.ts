import { expect, it } from "vitest";
import { chooseBase } from "./checkChanges.ts";

it.each([
  ["a branch with commits", { "merge-base": "abc", diff: " a.ts | 2 +-", "ls-files": "" }, "abc"],
  ["a new file alone", { "merge-base": "abc", diff: "", "ls-files": "new.ts" }, "abc"],
  ["nothing new", { "merge-base": "abc", diff: "", "ls-files": "" }, "HEAD~1"],
  ["no origin", {}, "HEAD~1"],
])("compares %s with the right commit", (_, answers: Record<string, string>, base) => {
  expect(chooseBase(([command = ""]) => answers[command])).toBe(base);
});
