/**
 * Method colours, the same as in `globals.css` (`--series-1` …) and in both themes, so that a method keeps its colour. The test checks the criteria:
 * a contrast of 3 on every surface, and OKLab distances for normal sight and the three common deficiencies. The first eight differ at a glance, all
 * twelve side by side.
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

/** Backgrounds of marks in each theme: cards and the page. */
export const surfaces = { light: ["#ffffff", "#f6f7f9"], dark: ["#161b22", "#0e1116"] } as const;
export type Theme = keyof typeof surfaces;

/** Minimum contrast of marks with every surface (WCAG 2.2, 1.4.11). */
export const minContrast = 3;
