/**
 * The colours of methods on light and on dark surfaces, as `globals.css` has them (`--series-1` …). The test computes what
 * they are chosen for: a contrast of 3 on both surfaces, and a distance in OKLab, for normal sight and the three common
 * deficiencies, that tells the first eight apart at a glance and all twelve side by side.
 */
export const palette: readonly { light: string; dark: string }[] = [
  { light: "#737df3", dark: "#4870aa" },
  { light: "#ed5025", dark: "#de7a3c" },
  { light: "#225d3c", dark: "#25b69f" },
  { light: "#60119b", dark: "#a798ee" },
  { light: "#482b00", dark: "#c6bb24" },
  { light: "#ba1972", dark: "#ba396f" },
  { light: "#26709f", dark: "#84f1fe" },
  { light: "#93837b", dark: "#f8d0bc" },
  { light: "#49984b", dark: "#d0f5a0" },
  { light: "#4f3e83", dark: "#7a6dd0" },
  { light: "#9c1e20", dark: "#c2696a" },
  { light: "#283047", dark: "#adc2d3" },
];

/** What marks are drawn on, in either theme: cards and the page. */
export const surfaces = { light: ["#ffffff", "#f6f7f9"], dark: ["#161b22", "#0e1116"] } as const;
export type Theme = keyof typeof surfaces;

/** Marks stand out from every surface at least so much (WCAG 2.2, 1.4.11). */
export const leastContrast = 3;
