/** True if a write failed because the disk or a quota is full, also if that error is the cause of another error. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ("code" in error && (error.code === "ENOSPC" || error.code === "EDQUOT")) return true;
  return isDiskFull(error.cause);
}
