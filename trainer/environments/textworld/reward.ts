import type { Progress } from "./quests.ts";

/** TextWorld's intermediate reward: +1 for a step that shortens the plan or wins, −1 if it lengthens it or loses. */
export function signOf({ isWon, isLost }: Progress, before: number | undefined, after: number | undefined): number {
  if (isWon) return 1;
  if (isLost) return -1;
  return before === undefined || after === undefined ? 0 : Math.sign(before - after);
}
