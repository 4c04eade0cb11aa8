import * as fc from "fast-check";
import { expect, it } from "vitest";
import { runTablePage } from "#server/domain/pages.ts";
import { filterWithin, toQuery, viewPart } from "./view.ts";

const key = fc.string({ minLength: 1, maxLength: 20 }).filter((text) => !text.startsWith("-"));
const view = fc.record({
  filter: fc.string({ maxLength: 100 }),
  columns: fc.uniqueArray(key, { maxLength: 10 }),
  order: fc.uniqueArray(fc.record({ field: key, isDescending: fc.boolean() }), {
    maxLength: 4,
    selector: ({ field }) => field,
  }),
  groupBy: fc.uniqueArray(key, { maxLength: 4 }),
});

it("comes back from its address the same", () => {
  fc.assert(
    fc.property(view, (view) => {
      expect(viewPart.parse(new URLSearchParams(toQuery(view)))).toEqual(view);
    }),
  );
});

it("leaves the rest of the address alone, and is not in it while it is the usual one", () => {
  const none = { filter: "", columns: [], order: [], groupBy: [] };
  expect(viewPart.write(new URLSearchParams("a=1&q=x"), none).toString()).toBe("a=1");
});

it.each(["from=a-c0-s1", 'sweep:"first look" lr<1e-3', "note:50%&q=x#y"])(
  "reads the filter of a link: %s",
  (filter) => {
    const { pathname, searchParams } = new URL(runTablePage(filter), "http://here.invalid");
    expect([pathname, viewPart.parse(searchParams).filter]).toEqual(["/runs", filter]);
  },
);

it("restricts the table to the chosen sweeps of the address", () => {
  expect(filterWithin("collapsed", [])).toBe("collapsed");
  expect(filterWithin("", ["a", "b"])).toBe("sweepId=a,b");
  expect(filterWithin("collapsed", ["a"])).toBe("collapsed sweepId=a");
});
