import { describe, expect, it } from "vitest";
import { methodNames, methods } from "#trainer/spec/method.ts";
import { colourIndex, freeSlots } from "./colours.ts";

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
    const table3 = ["GRPO_ST", "DAPO_GiGPO"];
    for (const title of [...compared, ...table3]) expect(colourIndex(title)).toBeLessThan(12);
  });

  it("tells apart by hue the methods that are compared under a stale sampler, but for two", () => {
    const compared = ["GRPO", "GSPO", "SAPO", "SAMPO", "GRPO_TIS", "GRPO_SeqTIS", "GRPO_GeoRS", "IcePop"];
    const others = ["Decoupled PPO", "DPPO_TV", "VESPO", "VCPO", "M2PO", "Bypass PG"];
    const hues = [...compared, ...others].map((title) => colourIndex(title) % 12);
    expect(new Set(hues).size).toBe(12);
  });

  it("keeps other names out of the published slots, and apart while slots last", () => {
    const names = ["a", "b", "c", "d", "e", "f"];
    const slots = names.map((name) => colourIndex(name, names));
    expect(new Set(slots).size).toBe(6);
    expect([Math.min(...slots), Math.max(...slots)]).toEqual([freeSlots.first, freeSlots.end - 1]);
    const published = methodNames.map((name) => colourIndex(methods[name].title));
    expect(published.filter((slot) => slots.includes(slot))).toEqual([]);
  });

  it("gives a variant another hue than the methods that it is compared with", () => {
    const hueOf = (name: string, names: readonly string[] = []) => colourIndex(name, names) % 12;
    const bases = ["GRPO", "GSPO", "SAPO", "SAMPO"].map((name) => hueOf(name));
    for (const name of ["GRPO-wide", "my GRPO", "grpo kl 0.1", "a", "b"]) expect(bases).not.toContain(hueOf(name));
    const rivals = ["GRPO", "GiGPO", "CISPO", "DAPO_GRPO", "EMPG", "PPO"];
    for (const name of ["GRPO-wide", "my GRPO"]) {
      const hue = hueOf(name, [...rivals, name]);
      expect(rivals.map((rival) => hueOf(rival))).not.toContain(hue);
    }
  });

  it("does not depend on the order of the sweep's methods", () => {
    const names = ["x", "y", "z"];
    expect(names.map((name) => colourIndex(name, ["z", "GRPO", "y", "x"]))).toEqual(
      names.map((name) => colourIndex(name, names)),
    );
  });

  it("shares slots when they have run out, and still answers", () => {
    const names = Array.from({ length: 40 }, (_, i) => `variant ${i}`);
    for (const name of names) expect(colourIndex(name, names)).toBeLessThan(freeSlots.end);
  });
});
