import { expect, test } from "vitest";
import { describeShared, Shared } from "./links.ts";

const analysis = { kind: "analysis", question: "survival", sweepIds: ["a", "b"], options: { by: "environment" } };
const table = { kind: "table", sweepIds: ["a", "b"], options: {}, wording: {} };

test.each([
  [{ kind: "sweep", sweepId: "night-x2f" }, "sweep night-x2f"],
  [{ kind: "report", reportId: "r1" }, "report r1"],
  [table, "table of a, b"],
  [analysis, "Survival of a, b"],
  [{ kind: "selection", runIds: ["a-c0-s0"], columns: [] }, "run a-c0-s0"],
  [{ kind: "selection", runIds: ["a-c0-s0", "a-c0-s1"], columns: ["state"] }, "2 runs"],
])("%j is %s", (shared, words) => {
  expect(describeShared(Shared.parse(shared))).toBe(words);
});

test("a link shows so many runs at most, and nothing that is not named", () => {
  const runIds = Array.from({ length: 501 }, (_, i) => `r${i}`);
  expect(Shared.safeParse({ kind: "selection", runIds, columns: [] }).error?.issues[0]?.message).toBe(
    "a shared link shows at most 500 runs: select fewer",
  );
  expect(Shared.safeParse({ kind: "sweep", sweepId: "a", reportId: "b" }).success).toBe(false);
  expect(Shared.safeParse({ kind: "selection", filter: "", columns: [] }).success).toBe(false);
});

test("a link to an analysis has the options of its question alone", () => {
  const asked = (options: object) => Shared.safeParse({ ...analysis, options }).error?.issues.map(({ path }) => path);
  expect(asked({})).toBeUndefined();
  expect(asked({ by: "colour" })).toEqual([["by"]]);
  expect(asked({ measure: "score" })).toHaveLength(1);
});
