import { z } from "zod";
import type { RunReason } from "#server/domain/runs/runStatus.ts";
import { formatCount } from "#packages/base";

export type FailureReason = Exclude<
  RunReason,
  "completed" | "cancelled_by_user" | "stopped_by_rule" | "elsewhere" | "unobservable"
>;

/** Rule for retrying runs after one kind of failure. Every new attempt resumes from the latest checkpoint. */
type RetryRule =
  | { again: false; because: string }
  | {
      again: true;
      /**
       * Maximum number of a run's attempts that end for this reason; null means unlimited. Each reason has its own
       * count, so that preemptions do not reduce the retries after other failures.
       */
      atMost: number | null;
      /** True if the next attempt avoids the machine of the failure, if another machine can take the run. */
      elsewhere?: true;
      /** Waiting time in ms before a retry. The wait doubles at each retry, up to `maxWaitMs` (default: 15 minutes). */
      firstWaitMs: number;
      maxWaitMs?: number;
      because: string;
    };

const quarterHourMs = 15 * 60_000;

const notAgain = (because: string) => ({ again: false, because }) as const;

/**
 * Rules for retrying by reason of failure. A run is deterministic given its specification, so a failure in the run
 * itself would only repeat, as would exhausted memory. Failures of machines are independent of the run.
 */
export const retryRules: Record<FailureReason, RetryRule> = {
  timed_out: { again: true, atMost: 100, firstWaitMs: 0, because: "the job reached the scheduler's time limit" },
  preempted: { again: true, atMost: 100, firstWaitMs: 10_000, because: "the scheduler preempted the job" },
  interrupted: { again: true, atMost: 10, firstWaitMs: 0, because: "the process was asked to stop" },
  node_failed: {
    again: true,
    atMost: 5,
    elsewhere: true,
    firstWaitMs: 30_000,
    because: "the machine failed, not the run",
  },
  // Retries are unlimited: a user's disk quota may be exhausted although the disk has space, which only another
  // attempt can show.
  disk_full: {
    again: true,
    atMost: null,
    firstWaitMs: 2000,
    maxWaitMs: 60_000,
    because: "the node's disk is full, which is not the run's fault",
  },
  lost: {
    again: true,
    atMost: 3,
    elsewhere: true,
    firstWaitMs: 2000,
    because: "the process vanished, as after a reboot of the machine",
  },
  killed: {
    again: true,
    atMost: 2,
    firstWaitMs: 2000,
    because: "a kill is often due to temporary memory pressure, which another attempt may avoid",
  },
  out_of_memory: notAgain("another attempt would run out of memory again: give the run more memory or a smaller batch"),
  gpu_out_of_memory: notAgain(
    "another attempt would run out of GPU memory again: use a smaller micro-batch, shorter responses, or a lower `gpu_memory_utilization`",
  ),
  cuda_error: notAgain(
    "the same program on the same data would fail again: find the operation with `CUDA_LAUNCH_BLOCKING=1`",
  ),
  package_missing: notAgain("the package is still missing: install it in the program's environment on the node"),
  model_unavailable: {
    again: true,
    atMost: 3,
    firstWaitMs: 60_000,
    because: "the hub or the network may answer later",
  },
  gpu_failed: {
    again: true,
    atMost: 3,
    elsewhere: true,
    firstWaitMs: 30_000,
    because: "the GPU failed, not the run",
  },
  communication_failed: {
    again: true,
    atMost: 3,
    firstWaitMs: 30_000,
    because: "a lost connection is often temporary",
  },
  no_progress: {
    again: true,
    atMost: 2,
    firstWaitMs: 2000,
    because: "the attempt logged nothing for longer than its plan allows, and was ended; a hang is often temporary",
  },
  exit_code: notAgain("the same program with the same specification would crash again"),
  trainer_failed: notAgain("the trainer would meet the same error again"),
  no_done_event: notAgain("the attempt's log has no `done` event, so the reason is unknown: read the trainer's log"),
  diverged: notAgain("the same specification would diverge again"),
  spec_refused: notAgain("the trainer would refuse the same specification again"),
  submit_refused: notAgain("the scheduler would refuse the same request again"),
  expired: notAgain("the job's deadline in the scheduler has passed"),
  cancelled_outside: notAgain("somebody cancelled the job in the scheduler on purpose"),
  attempts_used_up: notAgain("all allowed attempts are used up"),
};

/** Decision about a retry after an attempt ended, as stored with the attempt. */
export const Aftermath = z.discriminatedUnion("next", [
  z.object({
    next: z.literal("retry"),
    /** Number of attempts that ended for this reason, including this one. */
    nth: z.int(),
    atMost: z.int().nullable(),
    /** Machine that further attempts avoid, as `NODE` or `NODE/HOST`. */
    avoid: z.string().nullable(),
    waitMs: z.number(),
    because: z.string(),
  }),
  z.object({ next: z.literal("stop"), because: z.string() }),
]);
export type Aftermath = z.infer<typeof Aftermath>;

type Circumstances = {
  /** Number of the run's attempts, including the ended one. */
  numAttempts: number;
  maxAttempts: number;
  /** Number of earlier attempts that ended for the same reason. */
  numSame: number;
  machine: string;
};

/** Decides whether to retry after a failed attempt; `maxAttempts` is the limit to store with the run. */
export function decideRetry(
  reason: FailureReason,
  { numAttempts, maxAttempts, numSame, machine }: Circumstances,
): { aftermath: Aftermath; maxAttempts: number } {
  const rule = retryRules[reason];
  if (!rule.again) return { aftermath: { next: "stop", because: rule.because }, maxAttempts };
  const nth = numSame + 1;
  // A user may allow a run more attempts than the rule does, for failures that are retried at all.
  if (rule.atMost !== null && nth >= rule.atMost && numAttempts >= maxAttempts) {
    const because = `${formatCount(nth, "attempt")} ended for this reason, which is the limit`;
    return { aftermath: { next: "stop", because }, maxAttempts };
  }
  return {
    aftermath: {
      next: "retry",
      nth,
      atMost: rule.atMost === null ? null : Math.max(rule.atMost, nth + 1),
      avoid: rule.elsewhere ? machine : null,
      waitMs: Math.min(rule.firstWaitMs * 2 ** numSame, rule.maxWaitMs ?? quarterHourMs),
      because: rule.because,
    },
    maxAttempts: Math.max(maxAttempts, numAttempts + 1),
  };
}
