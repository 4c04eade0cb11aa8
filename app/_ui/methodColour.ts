const numColours = 12;

/**
 * Returns the colour of the method (or run) with this index in chips, charts and tables.
 * @returns a CSS colour: `var(--series-1)` … `var(--series-12)`, repeated for further methods
 */
export function methodColour(index: number): string {
  return `var(--series-${(index % numColours) + 1})`;
}
