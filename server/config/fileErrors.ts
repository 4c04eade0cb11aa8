/** True for the error of a system call with one of these codes, such as ENOENT for a missing file. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && "code" in error && codes.some((code) => code === error.code);
}

// Returns undefined for a missing file's error, else throws. ESRCH: the process ended between open and read.
export function ignoreMissing(error: unknown): undefined {
  if (!hasCode(error, "ENOENT", "ESRCH")) throw error;
}
