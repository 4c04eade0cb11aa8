import { z } from "zod";
import type { RunReason } from "./runStatus.ts";
import { formatCount } from "./words.ts";

export type FailureReason = Exclude<
  RunReason,
  "completed" | "cancelled_by_user" | "stopped_by_rule" | "elsewhere" | "unobservable"
>;

/** What follows a kind of failure. Every new attempt goes on from the newest checkpoint that the earlier ones left. */
export type RetryRule =
  | { again: false; because: string }
  | {
      again: true;
      /**
       * Attempts that may end for this reason; null: any number. Causes are counted apart, so that a preemption costs
       * no other chance.
       */
      atMost: number | null;
      /** `elsewhere`: the machine it happened on is passed over, where there is another. */
      where: "anywhere" | "elsewhere";
      /** Doubled at each repetition of the cause, up to `mostWaitMs` (a quarter of an hour where nothing is said). */
      firstWaitMs: number;
      mostWaitMs?: number;
      because: string;
    };

const quarterHourMs = 15 * 60_000;
const seconds = 1000;

/**
 * The policy. A run is determined by its spec, so a failure of the run itself would only repeat; failures of the
 * machine are not the run's fault. Memory that ran out runs out again in the same place.
 */
export const retryRules: Record<FailureReason, RetryRule> = {
  timed_out: {
    again: true,
    atMost: 100,
    where: "anywhere",
    firstWaitMs: 0,
    because: "it used up its time and saved its state",
  },
  preempted: {
    again: true,
    atMost: 100,
    where: "anywhere",
    firstWaitMs: 10 * seconds,
    because: "it had to make room for another job",
  },
  interrupted: {
    again: true,
    atMost: 10,
    where: "anywhere",
    firstWaitMs: 0,
    because: "it was asked to stop and saved its state",
  },
  node_failed: {
    again: true,
    atMost: 5,
    where: "elsewhere",
    firstWaitMs: 30 * seconds,
    because: "the machine failed, not the run",
  },
  // A user's share of a disk may be used up where the disk itself shows room: nobody can tell when to try but by trying.
  disk_full: {
    again: true,
    atMost: null,
    where: "anywhere",
    firstWaitMs: 2 * seconds,
    mostWaitMs: 60 * seconds,
    because: "the disk has no room, which is the machine's state and no fault of the run",
  },
  lost: {
    again: true,
    atMost: 3,
    where: "elsewhere",
    firstWaitMs: 2 * seconds,
    because: "the machine lost it, as in a reboot",
  },
  killed: {
    again: true,
    atMost: 2,
    where: "anywhere",
    firstWaitMs: 2 * seconds,
    because: "a kill is often one moment of memory pressure; if not, it happens again",
  },
  out_of_memory: { again: false, because: "it would run out of memory again: it needs more, or a smaller batch" },
  exit_code: { again: false, because: "the same program with the same specification would crash again" },
  trainer_failed: { again: false, because: "the trainer would meet the same error again" },
  no_done_event: { again: false, because: "it is not known how far it came; a person has to look" },
  diverged: { again: false, because: "the same specification diverges again" },
  spec_refused: { again: false, because: "the trainer refuses the same specification again" },
  submit_refused: { again: false, because: "the scheduler refuses the request itself, whatever its load" },
  expired: { again: false, because: "the scheduler's deadline for it has passed" },
  cancelled_outside: { again: false, because: "somebody cancelled the job in the scheduler and meant it" },
  attempts_used_up: { again: false, because: "every attempt allowed is used" },
};

/** What was decided after an attempt, as stored with it. */
export const Aftermath = z.discriminatedUnion("next", [
  z.object({
    next: z.literal("retry"),
    /** Which attempt of those this cause allows has ended, and how many those are; null: any number. */
    nth: z.int(),
    atMost: z.int().nullable(),
    /** The machine passed over from now on, as `NODE` or `NODE/HOST`. */
    avoid: z.string().nullable(),
    waitMs: z.number(),
    because: z.string(),
  }),
  z.object({ next: z.literal("stop"), because: z.string() }),
]);
export type Aftermath = z.infer<typeof Aftermath>;

export type RetryDecision = { aftermath: Aftermath; maxAttempts: number };

type Circumstances = {
  /** Attempts so far, the ended one included, and the run's allowance. */
  numAttempts: number;
  maxAttempts: number;
  /** Earlier attempts that ended for the same reason. */
  numSame: number;
  /** Where it happened. */
  machine: string;
};

/** What follows an attempt that failed; `maxAttempts` is the allowance to store with it. */
export function decideRetry(reason: FailureReason, now: Circumstances): RetryDecision {
  const { numAttempts, maxAttempts, numSame, machine } = now;
  const rule = retryRules[reason];
  if (!rule.again) return { aftermath: { next: "stop", because: rule.because }, maxAttempts };
  const nth = numSame + 1;
  // Whoever allows a run more attempts gets them, for failures that are worth repeating.
  if (rule.atMost !== null && nth >= rule.atMost && numAttempts >= maxAttempts) {
    const because = `${formatCount(nth, "attempt")} ended like this, and no more are allowed`;
    return { aftermath: { next: "stop", because }, maxAttempts };
  }
  return {
    aftermath: {
      next: "retry",
      nth,
      atMost: rule.atMost === null ? null : Math.max(rule.atMost, nth + 1),
      avoid: rule.where === "elsewhere" ? machine : null,
      waitMs: Math.min(rule.firstWaitMs * 2 ** numSame, rule.mostWaitMs ?? quarterHourMs),
      because: rule.because,
    },
    maxAttempts: Math.max(maxAttempts, numAttempts + 1),
  };
}
