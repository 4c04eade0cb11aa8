/** "1e-4, 3e-4" as its parts: commas, semicolons and blanks separate them. */
export function splitList(text: string): string[] {
  return text.split(/[,;\s]+/).filter(Boolean);
}
