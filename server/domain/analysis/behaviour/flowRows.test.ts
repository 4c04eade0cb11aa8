import { expect, it } from "vitest";
import { actionTypes, typesIn } from "#trainer/spec/actionTypes.ts";
import { contrastOf } from "#server/domain/plan/sweep/methods/shades.ts";
import { lookOfType } from "./flowRows.ts";

it("gives types of actions greys and muted tones that no method has, with contrast in both themes", () => {
  const colours = Object.keys(actionTypes).flatMap((id) => {
    const types = typesIn(id);
    return types.map(({ letter }) => lookOfType(types, letter).color);
  });
  for (const colour of colours) {
    const [light = "", dark = ""] = /^light-dark\((#\w{6}), (#\w{6})\)$/.exec(colour)?.slice(1) ?? [];
    expect(contrastOf(light, "#ffffff")).toBeGreaterThanOrEqual(3);
    expect(contrastOf(dark, "#161b22")).toBeGreaterThanOrEqual(3);
    for (const muted of [light, dark]) {
      const channels = [1, 3, 5].map((at) => Number.parseInt(muted.slice(at, at + 2), 16));
      expect(Math.max(...channels) - Math.min(...channels)).toBeLessThan(80);
    }
  }
  const ofWebShop = typesIn("webshop").map(({ letter }) => lookOfType(typesIn("webshop"), letter).color);
  expect(new Set(ofWebShop).size).toBe(ofWebShop.length);
  expect(lookOfType(typesIn("webshop"), "ended").color).toBe("var(--bad)");
});
