import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { parse } from "yaml";
import { thisMachine } from "#server/domain/fleet/nodes/node.ts";
import { makePricing, PriceForm, putPrice } from "./nodePrice.ts";

const home = mkdtempSync(join(tmpdir(), "arlarena-prices-"));
afterAll(() => rmSync(home, { recursive: true }));

const file = `# Our machines
nodes:
  - kind: local # the desk
    name: desk
    slots: { per: core, count: 4 }
    setup: [ module load cuda ]
  - { kind: local, name: other, slots: { per: core, count: 1 }, pricePerSlotHour: 2 }
`;

it("sets, changes and removes a price, keeping comments and all other settings", () => {
  const priced = putPrice(file, { name: "desk", price: 0.25 }, []);
  for (const line of file.split("\n")) expect(priced).toContain(line);
  expect(parse(priced)).toMatchObject({ nodes: [{ name: "desk", pricePerSlotHour: 0.25 }, { pricePerSlotHour: 2 }] });
  expect(putPrice(priced, { name: "desk", price: null }, [])).toBe(file);
  expect(parse(putPrice(file, { name: "other", price: 3 }, []))).toMatchObject({
    nodes: [{}, { pricePerSlotHour: 3 }],
  });
});

it("writes this machine where there is no file", () => {
  const text = putPrice("", { name: "local", price: 1.5 }, [thisMachine(3)]);
  expect(text).toBe(
    "nodes:\n  - kind: local\n    name: local\n    slots:\n      per: core\n      count: 3\n    pricePerSlotHour: 1.5\n",
  );
});

it("refuses an unknown node, an invalid file and a price beyond its limits", () => {
  expect(() => putPrice(file, { name: "desc", price: 1 }, [])).toThrow("no node “desc”");
  expect(() => putPrice("nodes: [", { name: "desk", price: 1 }, [])).toThrow("the nodes file");
  for (const price of [-1, 1_000_001, Number.NaN]) {
    expect(PriceForm.safeParse({ name: "desk", price }).success, String(price)).toBe(false);
  }
});

it("gives a node the price that the file states now, and the last one while the file is not valid", () => {
  const path = join(home, "nodes.yaml");
  const node = { ...thisMachine(1), name: "desk" };
  const priced = makePricing(home);
  expect(priced(node).pricePerSlotHour).toBeUndefined();
  let seconds = 1_000_000;
  const write = (text: string) => {
    writeFileSync(path, text);
    utimesSync(path, seconds, ++seconds);
  };
  write(putPrice(file, { name: "desk", price: 7 }, []));
  expect(priced(node)).toEqual({ ...node, pricePerSlotHour: 7 });
  write("nodes: [");
  expect(priced(node).pricePerSlotHour).toBe(7);
  write(file);
  expect(priced({ ...node, pricePerSlotHour: 7 })).toEqual(node);
});
