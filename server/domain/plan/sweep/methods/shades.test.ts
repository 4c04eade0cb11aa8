import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { contrastOf, fromOklch, type LinearRgb, shadeOn, toLinear, toOklab, toOklch } from "./shades.ts";
import { ciede2000, minContrast, palette, surfaces } from "./shades.ts";

const themes = ["light", "dark"] as const;

/** Matrices that simulate complete colour vision deficiencies in linear RGB (Machado, Oliveira and Fernandes, 2009). */
const sights: Record<string, readonly LinearRgb[]> = {
  normal: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

/** Distance of two colours in OKLab under a simulated colour vision. */
function distanceOf(a: string, b: string, sight: readonly LinearRgb[]): number {
  const [seenA, seenB] = [a, b].map((hex) => {
    const light = toLinear(hex);
    const [r = 0, g = 0, blue = 0] = sight.map((row) =>
      Math.min(
        1,
        Math.max(
          0,
          row.reduce((sum, x, i) => sum + x * (light[i] ?? 0), 0),
        ),
      ),
    );
    return toOklab([r, g, blue]);
  });
  return Math.hypot(...[0, 1, 2].map((i) => (seenA?.[i] ?? 0) - (seenB?.[i] ?? 0)));
}

function closest(hexes: readonly string[], sight: readonly LinearRgb[]): number {
  return Math.min(...hexes.flatMap((a, i) => hexes.slice(i + 1).map((b) => distanceOf(a, b, sight))));
}

it("reckons as the standards' examples do", () => {
  expect(contrastOf("#ffffff", "#000000")).toBeCloseTo(21, 10);
  expect(contrastOf("#777777", "#ffffff")).toBeCloseTo(4.48, 2);
  // Reference value from Ottosson's table: sRGB red.
  const red = toOklch("#ff0000");
  expect([red.lightness, red.chroma, red.hue]).toEqual([
    expect.closeTo(0.628, 3),
    expect.closeTo(0.2577, 3),
    expect.closeTo(0.5102, 3),
  ]);
  expect(fromOklch(toOklch("#1a63d1"))).toBe("#1a63d1");
  expect(distanceOf("#00b000", "#e07000", sights["deuteranopia"] ?? [])).toBeLessThan(
    distanceOf("#00b000", "#e07000", sights["normal"] ?? []) / 2,
  );
});

it("is what the style sheet has", () => {
  const css = readFileSync(new URL("../../../../../app/globals.css", import.meta.url), "utf8");
  expect([...css.matchAll(/--series-\d+: (.+);/g)].map(([, colour]) => colour)).toEqual(palette);
  for (const surface of [...surfaces.light, ...surfaces.dark]) expect(css).toContain(surface);
});

it.each(themes)("stands out from every surface: %s", (theme) => {
  for (const colour of palette) {
    for (const surface of surfaces[theme]) expect(contrastOf(colour, surface)).toBeGreaterThanOrEqual(minContrast);
  }
});

it.each(Object.entries(sights))("tells methods apart with %s", (_, sight) => {
  expect(closest(palette.slice(0, 8), sight)).toBeGreaterThanOrEqual(0.09);
  expect(closest(palette, sight)).toBeGreaterThanOrEqual(0.05);
});

it.each(themes)("has steps of every hue that stand out, in order of lightness, on %s surfaces", (theme) => {
  for (const colour of palette) {
    const steps = [0, 0.25, 0.5, 0.75, 1].map((at) => shadeOn(theme, colour, at));
    const lightness = steps.map((hex) => toOklch(hex).lightness);
    const sorted = lightness.toSorted((a, b) => (theme === "light" ? b - a : a - b));
    expect(lightness).toEqual(sorted);
    for (const [i, hex] of steps.entries()) {
      for (const surface of surfaces[theme]) expect(contrastOf(hex, surface)).toBeGreaterThanOrEqual(minContrast);
      for (const sight of Object.values(sights)) {
        const next = steps[i + 1];
        if (next !== undefined) expect(distanceOf(hex, next, sight)).toBeGreaterThanOrEqual(0.03);
      }
    }
  }
});

/** Test data of Sharma, Wu and Dalal (2005), Table 1: pairs in L*a*b* with their ΔE00. */
it.each([
  [[50, 2.6772, -79.7751], [50, 0, -82.7485], 2.0425],
  [[50, -1.3802, -84.2814], [50, 0, -82.7485], 1],
  [[50, 2.49, -0.001], [50, -2.49, 0.0009], 7.1792],
  [[50, 2.49, -0.001], [50, -2.49, 0.0011], 7.2195],
  [[50, 2.5, 0], [50, 0, -2.5], 4.3065],
  [[50, 2.5, 0], [73, 25, -18], 27.1492],
  [[50, 0, 0], [50, -1, 2], 2.3669],
  [[60.2574, -34.0099, 36.2677], [60.4626, -34.1751, 39.4387], 1.2644],
  [[2.0776, 0.0795, -1.135], [0.9033, -0.0636, -0.5514], 0.9082],
] as const)("measures the distance of %o and %o as published", (a, b, distance) => {
  expect(ciede2000(a, b)).toBeCloseTo(distance, 4);
  expect(ciede2000(b, a)).toBeCloseTo(distance, 4);
});
