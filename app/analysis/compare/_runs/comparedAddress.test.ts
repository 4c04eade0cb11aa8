import { expect, test } from "vitest";
import { comparedPart, readCompared, toCompareAddress } from "./comparedAddress.ts";

const cells = [
  { sweepId: "my-sweep-k3", method: "GRPO", index: 0, label: "lr 3e-4, KL 0" },
  { sweepId: "my-sweep-k3", method: "GSPO", index: 1, label: "" },
];
const names = ["my-sweep-k3/GRPO lr 3e-4, KL 0", "my-sweep-k3/GSPO"];

test("an address names its configurations, and is read back", () => {
  const address = toCompareAddress(cells);
  expect(address).toContain("cell=my-sweep-k3/GSPO");
  expect(readCompared(new URL(address, "http://here").searchParams)).toEqual({ runIds: [], cellIds: [], cells: names });
});

test("only configurations of equal names have their index in the address", () => {
  const address = toCompareAddress([...cells, { sweepId: "my-sweep-k3", method: "GSPO", index: 2, label: "" }]);
  expect(readCompared(new URL(address, "http://here").searchParams).cells).toEqual([
    names[0],
    "my-sweep-k3/GSPO #1",
    "my-sweep-k3/GSPO #2",
  ]);
});

test("ids of earlier addresses are read and replaced by names at the next choice", () => {
  const before = new URLSearchParams("cells=1,2,x,1&from=1&metric=loss/policy");
  expect(readCompared(before)).toEqual({ runIds: [], cellIds: [1, 2], cells: [] });
  const written = comparedPart.write(before, { runIds: ["r1"], cellIds: [], cells: names });
  expect([...written]).toEqual([
    ["metric", "loss/policy"],
    ["runs", "r1"],
    ["cell", names[0]],
    ["cell", names[1]],
  ]);
});
