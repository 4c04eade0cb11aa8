import { expect, it } from "vitest";
import type { Relative } from "#server/db/plan/origins.ts";
import { prepareFamily, type FamilyNode } from "./prepareFamily.ts";

const relative = (id: string, from: string | null, more: Partial<Relative> = {}): Relative => ({
  id,
  from,
  iteration: from === null ? null : 18,
  kind: from === null ? null : "branch",
  seed: 0,
  method: "CISPO",
  label: "",
  sweepId: "s",
  sweepName: "Table 3",
  status: "finished",
  ...more,
});
const idsOf = ({ id, children }: FamilyNode): unknown => (children.length > 0 ? [id, children.map(idsOf)] : id);

it("draws who began from whom, with the iteration and the continuation", () => {
  const label = "learning rate 1e-4";
  const relatives = [
    relative("a", null, { seed: 2 }),
    relative("b", "a", { label }),
    relative("c", "b", { kind: "run", iteration: 40 }),
  ];
  const { roots, numHidden } = prepareFamily(relatives, "b");
  expect(roots.map(idsOf)).toEqual([["a", [["b", ["c"]]]]]);
  expect(numHidden).toBe(0);
  const [a] = roots;
  expect([a?.name, a?.note]).toEqual(["Table 3: CISPO, seed 2", "finished"]);
  const b = a?.children[0];
  expect([b?.name, b?.note]).toEqual([`CISPO · ${label}, continuation 0`, "after iteration 18 · finished"]);
  expect(b?.children[0]?.note).toBe("with the policy after iteration 40 · finished");
});

it("keeps the line of the run where an origin has many branches, and names a deleted origin", () => {
  const many = Array.from({ length: 30 }, (_, i) => relative(`b${i}`, "a", { seed: i }));
  const { roots, numHidden } = prepareFamily([relative("a", null), ...many], "b20");
  expect(roots[0]?.children.map(({ id }) => id)).toEqual([...many.slice(0, 12).map(({ id }) => id), "b20"]);
  expect(numHidden).toBe(17);
  const alone = prepareFamily([relative("b", "gone")], "b").roots;
  expect(alone).toMatchObject([{ id: "gone", note: "deleted", isKnown: false, children: [{ id: "b" }] }]);
});
