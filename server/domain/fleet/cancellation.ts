/** Author of a cancellation as in the log of changes, within a sentence: "by Ada", "in a browser". */
export function describeCanceller(who: string): string {
  if (who === "browser") return "in a browser";
  return who === "command line" ? "on the command line" : `by ${who}`;
}

/** Seconds in which a page offers to undo a cancellation. Programs and the command line do not wait. */
export const undoSeconds = 10;
