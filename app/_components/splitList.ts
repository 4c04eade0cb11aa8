/** "1e-4, 3e-4" as its parts: commas, semicolons and blanks separate them. */
export function splitList(text: string): string[] {
  return text.split(/[,;\s]+/).filter(Boolean);
}

/**
 * Why a list of numbers would be read otherwise than it is meant: "1,5e-4" is one number to many, and two to us, as is "1,000".
 * Undefined where a comma surely separates. Of whole numbers "8,16" is a list.
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
