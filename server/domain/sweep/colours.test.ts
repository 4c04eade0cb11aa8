import { describe, expect, it } from "vitest";
import { methodNames, methods } from "#trainer/spec/method.ts";
import { colourIndex, numColourSlots } from "./colours.ts";

describe("colourIndex", () => {
  it("gives every published method a slot of its own, whatever else is in the sweep", () => {
    const titles = methodNames.map((name) => methods[name].title);
    const slots = titles.map((title) => colourIndex(title, ["my variant", "another"]));
    expect(new Set(slots).size).toBe(titles.length);
    expect(titles.map((title) => colourIndex(title))).toEqual(slots);
    expect(colourIndex("GRPO")).toBe(0);
  });

  it("gives those that are compared side by side the twelve slots that have a hue of their own", () => {
    const compared = ["GRPO", "GSPO", "SAPO", "CISPO", "GiGPO", "EMPG", "DAPO_GRPO", "SAMPO", "PPO", "RLOO"];
    for (const title of compared) expect(colourIndex(title)).toBeLessThan(12);
  });

  it("keeps other names out of the published slots, and apart while slots last", () => {
    const names = ["a", "b", "c", "d", "e", "f"];
    const slots = names.map((name) => colourIndex(name, names));
    expect(new Set(slots).size).toBe(6);
    expect(Math.min(...slots)).toBe(methodNames.length);
    expect(Math.max(...slots)).toBeLessThan(numColourSlots);
  });

  it("does not depend on the order of the sweep's methods", () => {
    const names = ["x", "y", "z"];
    expect(names.map((name) => colourIndex(name, ["z", "GRPO", "y", "x"]))).toEqual(
      names.map((name) => colourIndex(name, names)),
    );
  });

  it("shares slots when they have run out, and still answers", () => {
    const names = Array.from({ length: 40 }, (_, i) => `variant ${i}`);
    for (const name of names) expect(colourIndex(name, names)).toBeLessThan(numColourSlots);
  });
});
