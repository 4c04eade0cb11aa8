const numColours = 12;

/** Returns the CSS colour of the method (or run) with this index; twelve colours, repeated for further methods. */
export function methodColour(index: number): string {
  return `var(--series-${(index % numColours) + 1})`;
}
