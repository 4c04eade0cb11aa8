/** Splits a list such as "1e-4, 3e-4" at commas, semicolons and white space into its items. */
export function splitList(text: string): string[] {
  return text.split(/[,;\s]+/).filter(Boolean);
}

/**
 * Returns an explanation if a list of numbers is ambiguous: "1,5e-4" and "1,000" can be one number or two. Returns
 * undefined if every comma is a separator; for integers "8,16" is a list.
 */
export function findDecimalComma(text: string, isInteger: boolean): string | undefined {
  const parts = text.split(/[;\s]+|,(?=\s)/).filter(Boolean);
  for (const part of parts) {
    if (/^[+-]?\d{1,3}(?:,\d{3})+$/.test(part)) {
      return `"${part}" has commas within a number: write ${part.replaceAll(",", "")}, or ${part.replaceAll(",", ", ")} for several values`;
    }
    const isDecimal = isInteger ? /^[+-]?\d+,\d+e[+-]?\d+$/i : /^[+-]?\d+,\d+(?:e[+-]?\d+)?$/i;
    if (isDecimal.test(part)) {
      return `"${part}": use a decimal point, ${part.replace(",", ".")}, or ${part.replace(",", ", ")} for two values`;
    }
  }
  return undefined;
}
