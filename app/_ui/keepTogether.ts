/** Joins numbers with their unit, and the ends of an interval, by spaces that do not break a line. */
export function keepTogether(text: string): string {
  return text.replaceAll(/(?<=\d) (?=%|points\b)|(?<=\[[^\]\s]*,) (?=[^\]\s]*\])|(?<=\]) (?=%|points\b)/g, "\u00a0");
}
