import type { Aftermath } from "./retry.ts";

/** Returns, as part of a sentence, who cancelled: "by Ada", "in a browser". */
export function describeCanceller(who: string): string {
  if (who === "browser") return "in a browser";
  return who === "command line" ? "on the command line" : `by ${who}`;
}

/** Seconds during which a web page offers to undo a cancellation; programs do not wait for them. */
export const undoSeconds = 10;

export function describeAftermath(aftermath: Aftermath): string {
  if (aftermath.next === "stop") return `not retried: ${aftermath.because}`;
  const { nth, atMost, avoid, waitMs, because } = aftermath;
  const when = waitMs === 0 ? "at once" : `in ${Math.round(waitMs / 1000)} s`;
  const where = avoid === null ? "" : `, on a node other than ${avoid}`;
  // A retry without a limit (after a full disk) waits for free space, not only for time.
  const count =
    atMost === null
      ? `once the disk has free space (retry ${nth}, no limit)`
      : `${when}${where} (failure ${nth} of ${atMost} for this reason)`;
  return `retried ${count}, from its last checkpoint if it has one: ${because}`;
}
