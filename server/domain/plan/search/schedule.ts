import { z } from "zod";
import { split } from "#trainer/spec/rng.ts";
import { makeSeed } from "./distribution.ts";
import { listRungs } from "./halving.ts";
import type { Space } from "./space.ts";

/** Stored plans, logs and decisions call a control `letGoOn`; their field names stay, because replays compare them. */
const control = {
  letGoOnShare: z.number().min(0).max(1).default(0.1).meta({
    title: "Fraction of controls",
    description:
      "Fraction of the trials to be stopped that are trained to the end anyway, to measure how many stops are wrong.",
  }),
  seed: makeSeed()
    .default(0)
    .meta({ title: "Seed of the controls", description: "Seed of the random choice of controls." }),
};

/** Successive halving: most trials stop after little training, and the best trials at each rung train longer. */
export const HalvingPlan = z.strictObject({
  kind: z.enum(["halving", "asha"]).default("asha").meta({
    title: "Halving",
    description:
      "ASHA compares each trial as soon as it reaches a rung; successive halving waits for all trials of the rung.",
  }),
  of: z.enum(["iterations", "seeds"]).meta({
    title: "Unit of a rung",
    description: "Unit in which rungs are measured: training iterations of each run, or number of seeds.",
  }),
  least: z.int().min(1).max(1_000_000).meta({
    title: "First rung",
    description: "Number of iterations or seeds after which trials are compared for the first time.",
  }),
  factor: z.number().min(2).max(100).default(3).meta({
    title: "Reduction factor",
    description: "Reduction factor η: the best 1/η of the trials at a rung are promoted to the next.",
  }),
  ...control,
});
export type HalvingPlan = z.infer<typeof HalvingPlan>;

/** Racing: all trials are run seed by seed, and a trial significantly worse than the best gets no further seed. */
export const RacingPlan = z.strictObject({
  kind: z.enum(["friedman", "t"]).default("friedman").meta({
    title: "Test",
    description: "Statistical test between trials, on the seeds that they share: Friedman's test or paired t-tests.",
  }),
  level: z.number().min(0.5).max(0.999).default(0.95).meta({
    title: "Confidence level",
    description: "Confidence level of the test by which a trial is stopped as significantly worse than the best trial.",
  }),
  leastSeeds: z.int().min(2).max(1000).default(2).meta({
    title: "Seeds before the first test",
    description: "Number of seeds with which every trial is run before the first test.",
  }),
  ...control,
});
export type RacingPlan = z.infer<typeof RacingPlan>;

export type Selection =
  | { kind: "halving" | "asha"; factor: number }
  | { kind: "friedman" | "t"; level: number; leastSeeds: number };

/** Rungs of a search, with the rule by which trials are promoted to the next rung. The last rung is the full budget. */
export type Schedule = {
  of: "iterations" | "seeds";
  rungs: readonly number[];
  selection: Selection;
  /** Total number of trials (`numEntered`), and number of trials that the search compares at once (`bracket`). */
  numEntered: number;
  bracket: number;
  letGoOnShare: number;
  seed: number;
};

type Size = { trials: number; parallel: number; numSeeds: number; numIterations: number };

export function makeSchedule(
  { halving, racing }: { halving?: HalvingPlan | undefined; racing?: RacingPlan | undefined },
  { trials, parallel, numSeeds, numIterations }: Size,
): Schedule | undefined {
  if (halving !== undefined) {
    const { kind, of, least, factor, letGoOnShare, seed } = halving;
    const rungs = listRungs({ least, factor, most: of === "seeds" ? numSeeds : numIterations });
    // Runs train on while they wait at a rung, so a bracket contains only trials that run at the same time.
    const bracket = of === "seeds" ? trials : parallel;
    return { of, rungs, selection: { kind, factor }, numEntered: trials, bracket, letGoOnShare, seed };
  }
  if (racing === undefined) return undefined;
  const { kind, level, leastSeeds, letGoOnShare, seed } = racing;
  const rungs = Array.from({ length: numSeeds - leastSeeds + 1 }, (_, i) => leastSeeds + i);
  const selection = { kind, level, leastSeeds };
  return { of: "seeds", rungs, selection, numEntered: trials, bracket: trials, letGoOnShare, seed };
}

/**
 * Change of the number of trials in a search, which applies from one step of the search on. `widened`: more trials
 * than planned are allowed; `ended`: no further trials are allowed.
 */
export type Limit = {
  step: number;
  kind: "ended" | "widened";
  trials: number;
  /** Search space from the step of this change on; undefined if it stays unchanged. */
  space?: Space | undefined;
  reason: string;
};

/** Returns true if the search has ended before: its rules for ending do not apply to trials that a user adds. */
export function isOverruled(limits: readonly Limit[]): boolean {
  return limits.some(({ kind }) => kind === "ended");
}

export function limitAt(planned: number, limits: readonly Limit[], step = Infinity): number {
  return limits.findLast((limit) => limit.step < step)?.trials ?? planned;
}

/** Returns the search space at a step, which includes a change made at that step. */
export function spaceAt(planned: Space, limits: readonly Limit[], step = Infinity): Space {
  return limits.findLast((limit) => limit.step <= step && limit.space !== undefined)?.space ?? planned;
}

export function scheduleAt(schedule: Schedule, limits: readonly Limit[], step = Infinity): Schedule {
  return { ...schedule, numEntered: limitAt(schedule.numEntered, limits, step) };
}

/** Returns true if a stopped trial trains on as a control. The choice does not depend on results. */
export function isControl({ letGoOnShare, seed }: Schedule, number: number): boolean {
  return split(seed, "letGoOn", number).next() < letGoOnShare;
}

export type Verdict = {
  /** `letGoOn`: stopped by the search's rule, but trained to the end as a control. */
  kind: "promoted" | "stopped" | "letGoOn";
  /** Numbers of the trials compared at the rung, including the trial that the verdict concerns. */
  known: readonly number[];
  reason: string;
};

/** A trial's losses at a rung by seed. NaN: the run failed; Infinity: it collapsed; an empty list: the trial failed. */
export type Reached = {
  rung: number;
  losses: readonly number[];
  /** Step at which the trial reached the rung; steps number all events of the search. */
  step: number;
  verdict: (Verdict & { step: number }) | null;
};

/** A trial with the rungs that it has reached, lowest rung first. */
export type RungTrial = { number: number; reached: readonly Reached[] };

/** Mean loss over seeds; NaN if no seed has a measurement. */
export function lossOf({ losses }: Pick<Reached, "losses">): number {
  const known = losses.filter((loss) => !Number.isNaN(loss));
  return known.reduce((sum, loss) => sum + loss, 0) / known.length;
}

/** Returns the index of a trial's next rung; undefined if the trial waits for a verdict, was stopped or is finished. */
export function nextRung({ rungs }: Pick<Schedule, "rungs">, { reached }: RungTrial): number | undefined {
  const last = reached.at(-1);
  if (last === undefined) return 0;
  if (last.verdict?.kind === "promoted") return last.rung + 1;
  return last.verdict?.kind === "letGoOn" ? rungs.length - 1 : undefined;
}

/** True for controls: stopped trials that train on, but take no part in comparisons. */
export function isControlTrial({ reached }: RungTrial): boolean {
  return reached.some(({ verdict }) => verdict?.kind === "letGoOn");
}
