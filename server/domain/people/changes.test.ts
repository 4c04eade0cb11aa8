import { expect, it } from "vitest";
import { subjectOf } from "./changes.ts";

it("names what a change is about, and nothing that is long or secret", () => {
  expect(subjectOf({ id: "night", note: "private", password: "x" })).toBe("id=night");
  expect(subjectOf({ runIds: ["a", "b", "c", "d", "e", "f", "g"], tags: ["t"] })).toBe(
    "runIds=a, b, c, d, e and 2 more",
  );
  expect(subjectOf({ name: "x".repeat(500) })).toHaveLength(200);
  const emoji = subjectOf({ name: `${"x".repeat(193)}🙂🙂🙂` });
  expect(emoji).toMatch(/x…$/);
  expect([subjectOf(undefined), subjectOf("id"), subjectOf({ id: { deep: 1 } })]).toEqual(["", "", ""]);
});
