import { describe, expect, it } from "vitest";
import { completePlan, describePlan } from "./completePlan.ts";
import { sweepFileSchema } from "./fileSchema.ts";

const schema = sweepFileSchema();

/** Lists the completions at the `|` in a text. */
function complete(marked: string) {
  const offset = marked.indexOf("|");
  const { from, options } = completePlan(schema, marked.replace("|", ""), offset);
  return { typed: marked.slice(from, offset), labels: options.map(({ label }) => label), options };
}

describe("completion in a sweep file", () => {
  it.each([
    ["an empty file", "|", "", ["name", "methods", "seeds"], []],
    ["a key begun at the top", "name: x\nmeth|", "meth", ["methods", "grid"], ["name"]],
    ["a group without keys", "base:\n  |", "", ["optimizer", "budget"], ["name"]],
    ["a key below another", "base:\n  optimizer:\n    beta1: 0.9\n    learn|\n", "learn", ["learningRate"], ["beta1"]],
    ["a key above another", "base:\n  |\n  budget: { iterations: 3 }", "", ["optimizer"], ["budget"]],
    ["a key whose colon stands", "base:\n  opt|: {}", "opt", ["optimizer"], []],
    ["a kind", "grid:\n  clipping:\n    - { kind: | }", "", ["token", "sapo"], ["all"]],
    ["what a kind has", "grid:\n  clipping:\n    - { kind: sapo, | }", "", ["tauPositive"], ["low", "kind"]],
    ["a key of a flow map", "base:\n  budget: { iter| }", "iter", ["iterations"], []],
    ["an item of a flow list", "methods: [grpo, g|]", "g", ["gspo", "gigpo"], []],
    ["an item of a block list", "methods:\n  - grpo\n  - |", "", ["sampo", "name"], []],
    ["an environment", "environments:\n  - id: |", "", ["sokoban", "alfworld"], []],
    ["a field of one environment", "environments:\n  - id: sokoban\n    |", "", ["size", "numBoxes"], ["steps", "id"]],
    ["an axis", "axes:\n  optim|", "optim", ["optimizer.learningRate"], []],
    ["an axis with dots", "axes:\n  optimizer.l|", "optimizer.l", ["optimizer.learningRate"], []],
    ["the value of an axis", "axes:\n  method.aggregation: [|]", "", ["tokenMean"], []],
    ["a base of an environment", "environments:\n  - id: sokoban\n    base:\n      roll|", "roll", ["rollout"], []],
    ["a value after a colon", "base:\n  policy:\n    size: |\n", "", ["nano", "mini"], ["policy"]],
  ])("offers what fits %s", (_, marked, typed, offered, absent) => {
    const found = complete(marked);
    expect(found.typed).toBe(typed);
    expect(found.labels).toEqual(expect.arrayContaining(offered));
    for (const label of absent) expect(found.labels).not.toContain(label);
  });

  it("writes a key with its colon, but not before one that stands", () => {
    expect(complete("na|").options.find(({ label }) => label === "name")).toMatchObject({ insert: "name: " });
    expect(complete("na|: x").options.find(({ label }) => label === "name")).toMatchObject({ insert: "name" });
  });

  it("says type, range, default and meaning", () => {
    const rate = complete("base:\n  optimizer:\n    |").options.find(({ label }) => label === "learningRate");
    expect(rate?.detail).toMatch(/^number 0–\d/);
    expect(rate?.info).toContain("Learning rate");
    const boxes = complete("axes:\n  |").options.find(({ label }) => label === "environment.numBoxes");
    expect(boxes?.detail).toBe("list of integer 1–4");
    expect(complete("methods: [|]").options.find(({ label }) => label === "rloo")?.info).toContain("baseline");
  });

  it("offers nothing in free text and where a file is beyond reading", () => {
    expect(complete("name: |").labels).toEqual([]);
    expect(complete("name: [}|").labels).toEqual([]);
  });

  it("describes the key under the pointer", () => {
    const text = "base:\n  optimizer:\n    learningRate: 0.1\n";
    expect(describePlan(schema, text, text.indexOf("Rate"))?.info).toContain("Learning rate");
    expect(describePlan(schema, text, text.indexOf("0.1"))).toBeUndefined();
  });
});
