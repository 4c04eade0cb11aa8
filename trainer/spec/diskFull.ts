/** Whether a write failed because the disk, or the user's share of it, has no room; also where that is an error's cause. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ("code" in error && (error.code === "ENOSPC" || error.code === "EDQUOT")) return true;
  return isDiskFull(error.cause);
}
