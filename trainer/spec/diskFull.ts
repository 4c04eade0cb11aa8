/** True if a write failed because the disk or a quota is full, even if that error is only the cause of `error`. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ("code" in error && (error.code === "ENOSPC" || error.code === "EDQUOT")) return true;
  return isDiskFull(error.cause);
}
