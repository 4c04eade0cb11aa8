/** Whoever cancelled, as the log of changes names them, within a sentence: "by Ada", "in a browser". */
export function describeCanceller(who: string): string {
  if (who === "browser") return "in a browser";
  return who === "command line" ? "on the command line" : `by ${who}`;
}

/** How long a page lets a person take a cancellation back. Programs and the command line do not wait. */
export const undoSeconds = 10;
