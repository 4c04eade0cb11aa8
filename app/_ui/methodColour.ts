const numColours = 12;

/**
 * Colour of the n-th method (or run) of a sweep in chips, charts and tables.
 * @returns a CSS colour: `var(--series-1)` … `var(--series-12)`, repeated for further methods
 */
export function methodColour(index: number): string {
  return `var(--series-${(index % numColours) + 1})`;
}
