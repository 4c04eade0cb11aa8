import { z } from "zod";
import { split } from "#trainer/spec/rng.ts";
import { listRungs } from "./halving.ts";
import type { Space } from "./space.ts";

const control = {
  letGoOnShare: z
    .number()
    .min(0)
    .max(1)
    .default(0.1)
    .describe(
      "Share of trials to be stopped that go on all the same: what becomes of them tells how many stops were wrong.",
    ),
  seed: z
    .int()
    .min(0)
    .max(2 ** 31 - 1)
    .default(0)
    .describe("Decides which trials those are."),
};

/** Most trials are stopped after little training, the best at each rung earn more. */
export const HalvingPlan = z.strictObject({
  kind: z
    .enum(["halving", "asha"])
    .default("asha")
    .describe("`halving` judges a rung when all that belong there have reached it; `asha` judges each as it comes."),
  of: z
    .enum(["iterations", "seeds"])
    .describe("What a rung is: iterations of a trial's runs, or seeds that it has run with."),
  least: z.int().min(1).max(1_000_000).describe("Iterations or seeds of the first rung."),
  factor: z.number().min(2).max(100).default(3).describe("One of so many goes on to the next rung."),
  ...control,
});
export type HalvingPlan = z.infer<typeof HalvingPlan>;

/** All trials run seed by seed; one that is surely worse than the best gets no other. */
export const RacingPlan = z.strictObject({
  kind: z
    .enum(["friedman", "t"])
    .default("friedman")
    .describe("The test over seeds that tells which trial is surely worse."),
  level: z.number().min(0.5).max(0.999).default(0.95),
  leastSeeds: z.int().min(2).max(1000).default(2).describe("Seeds that every trial runs with before one is judged."),
  ...control,
});
export type RacingPlan = z.infer<typeof RacingPlan>;

export type Selection =
  { kind: "halving" | "asha"; factor: number } | { kind: "friedman" | "t"; level: number; leastSeeds: number };

/** What the trials of an arm climb: what each rung asks of them, the last the whole, and who goes on from it. */
export type Ladder = {
  of: "iterations" | "seeds";
  rungs: readonly number[];
  selection: Selection;
  /** Trials that enter in all, and how many of them are judged together. */
  numEntered: number;
  bracket: number;
  letGoOnShare: number;
  seed: number;
};

type Size = { trials: number; parallel: number; numSeeds: number; numIterations: number };

export function makeLadder(
  { halving, racing }: { halving?: HalvingPlan | undefined; racing?: RacingPlan | undefined },
  { trials, parallel, numSeeds, numIterations }: Size,
): Ladder | undefined {
  if (halving !== undefined) {
    const { kind, of, least, factor, letGoOnShare, seed } = halving;
    const rungs = listRungs({ least, factor, most: of === "seeds" ? numSeeds : numIterations });
    // Runs go on while they wait for others to reach a rung, so only those that run together are judged together.
    const bracket = of === "seeds" ? trials : parallel;
    return { of, rungs, selection: { kind, factor }, numEntered: trials, bracket, letGoOnShare, seed };
  }
  if (racing === undefined) return undefined;
  const { kind, level, leastSeeds, letGoOnShare, seed } = racing;
  const rungs = Array.from({ length: numSeeds - leastSeeds + 1 }, (_, i) => leastSeeds + i);
  const selection = { kind, level, leastSeeds };
  return { of: "seeds", rungs, selection, numEntered: trials, bracket: trials, letGoOnShare, seed };
}

/** From a place in the order of an arm on, it has so many trials in all: more than planned, or no other than there are. */
export type Limit = {
  step: number;
  kind: "ended" | "widened";
  trials: number;
  /** What is drawn from since then; absent where that is as before. */
  space?: Space | undefined;
  reason: string;
};

/** Whether a person added trials to an arm that had ended: what ended it counts no more. */
export function isOverruled(limits: readonly Limit[]): boolean {
  return limits.some(({ kind }) => kind === "ended");
}

/** How many trials an arm has in all, as it stood before a place in the order. */
export function limitAt(planned: number, limits: readonly Limit[], step = Infinity): number {
  return limits.findLast((limit) => limit.step < step)?.trials ?? planned;
}

/** What an arm draws from at a place in the order; a trial that is drawn there knows what was set there. */
export function spaceAt(planned: Space, limits: readonly Limit[], step = Infinity): Space {
  return limits.findLast((limit) => limit.step <= step && limit.space !== undefined)?.space ?? planned;
}

/** A ladder as it stood before a place in the order. */
export function ladderAt(ladder: Ladder, limits: readonly Limit[], step = Infinity): Ladder {
  return { ...ladder, numEntered: limitAt(ladder.numEntered, limits, step) };
}

/** Drawn by the plan's seed and the trial's number, before its results are known. */
export function isControl({ letGoOnShare, seed }: Ladder, number: number): boolean {
  return split(seed, "letGoOn", number).next() < letGoOnShare;
}

export type Verdict = {
  /** `letGoOn`: stopped by the rule, but trained whole as control. */
  kind: "promoted" | "stopped" | "letGoOn";
  /** Trials that it was compared with at the rung, itself among them. */
  known: readonly number[];
  reason: string;
};

/** A trial at a rung: its loss with each seed, NaN where that run was lost, infinite where it collapsed; none: the trial was lost. */
export type Reached = {
  rung: number;
  losses: readonly number[];
  /** Its place in the order of all that happened in the arm. */
  step: number;
  verdict: (Verdict & { step: number }) | null;
};

/** A trial with the rungs that it has reached, the lowest first. */
export type Climber = { number: number; reached: readonly Reached[] };

/** The mean over seeds; NaN where nothing was measured. */
export function lossOf({ losses }: Pick<Reached, "losses">): number {
  const known = losses.filter((loss) => !Number.isNaN(loss));
  return known.reduce((sum, loss) => sum + loss, 0) / known.length;
}

/** The rung that a trial is on its way to; undefined where it waits, was stopped, or is through. */
export function nextRung({ rungs }: Pick<Ladder, "rungs">, { reached }: Climber): number | undefined {
  const last = reached.at(-1);
  if (last === undefined) return 0;
  if (last.verdict?.kind === "promoted") return last.rung + 1;
  // A control is not judged again before its end.
  return last.verdict?.kind === "letGoOn" ? rungs.length - 1 : undefined;
}

/** Whether a trial goes on as control: what it comes to later is compared with nobody. */
export function isLetGoOn({ reached }: Climber): boolean {
  return reached.some(({ verdict }) => verdict?.kind === "letGoOn");
}
