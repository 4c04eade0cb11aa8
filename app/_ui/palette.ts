/**
 * The colours of methods, as `globals.css` has them (`--series-1` …): the same on light and on dark surfaces, so that a
 * method is known again whatever the theme. The test computes what they are chosen for: a contrast of 3 on every surface,
 * and a distance in OKLab, for normal sight and the three common deficiencies, that tells the first eight apart at a glance
 * and all twelve side by side.
 */
export const palette: readonly string[] = [
  "#498ef3",
  "#f25303",
  "#297263",
  "#832bfb",
  "#8e8d6d",
  "#a03aa8",
  "#bc371b",
  "#bc67b4",
  "#9b6a8c",
  "#df51da",
  "#539723",
  "#4961d2",
];

/** What marks are drawn on, in either theme: cards and the page. */
export const surfaces = { light: ["#ffffff", "#f6f7f9"], dark: ["#161b22", "#0e1116"] } as const;
export type Theme = keyof typeof surfaces;

/** Marks stand out from every surface at least so much (WCAG 2.2, 1.4.11). */
export const leastContrast = 3;
