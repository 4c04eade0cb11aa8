import { expect, it } from "vitest";
import { leaveEqualOut } from "./EqualFiles.tsx";

const runs = ["a", "b", "c"].map((id) => ({ id, files: [`${id}.csv`] }));
const equal = [{ file: "b.csv", twin: "a.csv" }];

it("leaves out the runs of copies alone, and takes them back with the user's other changes", () => {
  const edits = { b: { seed: 3 }, c: { method: "GRPO" } };
  const without = leaveEqualOut(edits, { runs, equal }, true);
  expect(without).toEqual({ b: { seed: 3, isLeftOut: true }, c: { method: "GRPO" } });
  expect(leaveEqualOut(without, { runs, equal }, false)["b"]).toEqual({ seed: 3, isLeftOut: false });
});

it("keeps a run with a copied file beside a file of its own", () => {
  const mixed = [{ id: "d", files: ["b.csv", "d.csv"] }];
  expect(leaveEqualOut({}, { runs: mixed, equal }, true)).toEqual({});
});
