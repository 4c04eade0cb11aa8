import { readFileSync } from "node:fs";
import { expect, it, test } from "vitest";
import { fullShade, shadeColor } from "./shadeColor.ts";

const css = readFileSync("app/globals.css", "utf8");
const themes = ["light", "dark"] as const;

/** Returns red, green and blue (0 to 255) of a CSS variable in a theme. */
function colorOf(name: string, theme: (typeof themes)[number]): number[] {
  const found = new RegExp(`--${name}: light-dark\\(#(\\w{6}), #(\\w{6})\\)`).exec(css);
  const hex = found?.[theme === "light" ? 1 : 2] ?? "";
  return [0, 2, 4].map((at) => parseInt(hex.slice(at, at + 2), 16));
}

/** Relative luminance as defined in WCAG 2.2. */
function luminance(color: readonly number[]): number {
  const [red = NaN, green = NaN, blue = NaN] = color.map((x) =>
    x / 255 <= 0.04045 ? x / 255 / 12.92 : ((x / 255 + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

test.each(themes.flatMap((theme) => (["warn", "accent", "bad"] as const).map((hue) => [theme, hue] as const)))(
  "a token can be read under a full shade: %s, %s",
  (theme, hue) => {
    const [surface, over] = [colorOf("surface", theme), colorOf(hue, theme)];
    const share = fullShade[theme] / 100;
    const shaded = surface.map((x, i) => (1 - share) * x + share * (over[i] ?? NaN));
    const both = [luminance(shaded), luminance(colorOf("text", theme))];
    expect((Math.max(...both) + 0.05) / (Math.min(...both) + 0.05)).toBeGreaterThan(4.5);
  },
);

it("shades in proportion, each theme on its own scale", () => {
  expect(shadeColor("warn", 0.5)).toBe(
    "light-dark(color-mix(in srgb, var(--warn) 30%, transparent), color-mix(in srgb, var(--warn) 23%, transparent))",
  );
});
