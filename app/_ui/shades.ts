import { contrastOf, fromOklch, toOklch } from "./colourMath.ts";
import { minContrast, palette, surfaces, type Theme } from "./palette.ts";

/**
 * Lightness steps of one method's hue for the levels of an ordered axis: lighter on dark surfaces, darker on light ones, all with enough contrast.
 * Returns a CSS colour that follows the theme. @param slot of the palette; @param at 0 to 1, from the level nearest to the surface's lightness to the
 * farthest
 */
export function shadeOf(slot: number, at: number): string {
  const colour = palette[slot % palette.length] ?? "#7a8290";
  return `light-dark(${shadeOn("light", colour, at)}, ${shadeOn("dark", colour, at)})`;
}

/** Lightness of the last step, farthest from the surface. */
const farthest: Record<Theme, number> = { light: 0.3, dark: 0.95 };

/** @testing */
export function shadeOn(theme: Theme, hex: string, at: number): string {
  const colour = toOklch(hex);
  const nearest = findNearest(theme, colour);
  return fromOklch({ ...colour, lightness: nearest + at * (farthest[theme] - nearest) });
}

/** The lightness nearest to the surfaces that still has enough contrast with them. */
function findNearest(theme: Theme, colour: ReturnType<typeof toOklch>): number {
  const step = theme === "light" ? -0.01 : 0.01;
  let lightness = theme === "light" ? 0.85 : 0.35;
  const isEnough = () =>
    surfaces[theme].every((surface) => contrastOf(surface, fromOklch({ ...colour, lightness })) >= minContrast);
  while (!isEnough() && lightness > 0.05 && lightness < 0.99) lightness += step;
  return lightness;
}
