import { expect, it } from "vitest";
import { sortItems, sortPart } from "./sorting.tsx";

const part = sortPart(["name", "runs"]);

it("stands in the address, with a minus for descending", () => {
  expect(part.parse(new URLSearchParams("sort=-runs"))).toEqual({ by: "runs", isDescending: true });
  expect(part.parse(new URLSearchParams("sort=name"))).toEqual({ by: "name", isDescending: false });
  for (const text of ["", "sort=", "sort=other"]) expect(part.parse(new URLSearchParams(text))).toBeUndefined();
  expect(part.write(new URLSearchParams("a=b"), { by: "runs", isDescending: true }).toString()).toBe("a=b&sort=-runs");
  expect(part.write(new URLSearchParams("sort=name"), undefined).toString()).toBe("");
});

it("leaves what has no value last, and compares numbers within names", () => {
  const rows = [2, undefined, 10, NaN, 1].map((value) => ({ value }));
  const sorted = (isDescending: boolean) =>
    sortItems(rows, isDescending, ({ value }) => value).map(({ value }) => value);
  expect(sorted(false)).toEqual([1, 2, 10, undefined, NaN]);
  expect(sorted(true)).toEqual([10, 2, 1, undefined, NaN]);
  expect(sortItems(["run 10", "run 2"], false, (x) => x)).toEqual(["run 2", "run 10"]);
});
