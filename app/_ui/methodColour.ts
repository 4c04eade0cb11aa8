const numColours = 12;

/**
 * The colour of the n-th method (or run) of a sweep, everywhere: chips, charts, tables.
 * @returns a CSS colour, `var(--series-1)` … `var(--series-12)`, then again from the start
 */
export function methodColour(index: number): string {
  return `var(--series-${(index % numColours) + 1})`;
}
