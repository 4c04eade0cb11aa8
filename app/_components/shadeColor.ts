export type ShadeHue = "warn" | "accent" | "bad";

/** Percentage of the hue at shade 1: the maximum at which a token's text keeps a contrast ratio of 4.5 to 1. */
export const fullShade = { light: 60, dark: 45 } as const;

/** Returns the CSS background of a token with a shade from 0 to 1. */
export function shadeColor(hue: ShadeHue, shade: number): string {
  const mix = (most: number) => `color-mix(in srgb, var(--${hue}) ${Math.round(most * shade)}%, transparent)`;
  return `light-dark(${mix(fullShade.light)}, ${mix(fullShade.dark)})`;
}
