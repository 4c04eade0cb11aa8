import type { RunReason } from "./runStatus.ts";

export type FailureReason = Exclude<RunReason, "completed" | "cancelled_by_user" | "unobservable">;

/**
 * How many attempts a run may have used and still be tried again by itself, whatever its own allowance says.
 * A run is determined by its spec, so a failure of the run itself would only repeat: 0. Failures of the machine are
 * not the run's fault: an interruption was announced and saved, a reboot is rare, and a kill is tried once more
 * because it is often one moment of memory pressure and, if not, happens again.
 */
export const freeAttempts: Record<FailureReason, number> = {
  interrupted: 10,
  lost: 3,
  killed: 2,
  out_of_memory: 0,
  exit_code: 0,
  trainer_failed: 0,
  no_done_event: 0,
  diverged: 0,
  spec_refused: 0,
  attempts_used_up: 0,
};

export type RetryDecision = { retry: true; maxAttempts: number } | { retry: false };

/** Whether a failed attempt is followed by another one; `maxAttempts` is the allowance to store with it. */
export function decideRetry(
  reason: FailureReason,
  { numAttempts, maxAttempts }: { numAttempts: number; maxAttempts: number },
): RetryDecision {
  const free = freeAttempts[reason];
  if (free === 0 || numAttempts >= Math.max(free, maxAttempts)) return { retry: false };
  return { retry: true, maxAttempts: Math.max(maxAttempts, numAttempts + 1) };
}
