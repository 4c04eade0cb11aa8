/**
 * Joins numbers with their unit and interval, the ends of an interval, and a p-value by spaces that do not break a line,
 * and an exponent with its number.
 */
export function keepTogether(text: string): string {
  return text
    .replaceAll(
      /(?<=\d) (?=%|points\b|\[)|(?<=\[[^\]\s]*,) (?=[^\]\s]*\])|(?<=\]) (?=%|points\b)|(?<=\bp) (?=[=<])|(?<=\bp [=<]) (?=[\d.])/g,
      "\u00a0",
    )
    .replaceAll(/(?<=\de-)(?=\d)/g, "\u2060");
}
