import type { CellSpec } from "./run.ts";

/** Spending of a run's budget: demonstrations for behaviour cloning, iterations of reinforcement learning. */
export type Spending = { numDemonstrations: number; iterations: number };

/**
 * Returns the number of demonstrations and of iterations that a specification's budget pays for. A split budget
 * (arXiv:2510.01132 §5.3) spends a fraction of its units on demonstrations, at `demonstrationCost` units each. The
 * remaining units pay for whole iterations of numGroups × groupSize episodes, at one unit per episode.
 */
export function spendingOf({
  budget,
  initialisation,
  rollout,
}: Pick<CellSpec, "budget" | "initialisation" | "rollout">): Spending {
  const given = "numEpisodes" in initialisation ? initialisation.numEpisodes : 0;
  if (budget.split === null) return { numDemonstrations: given, iterations: budget.iterations };
  const { units, demonstrationShare, demonstrationCost } = budget.split;
  // 1e-9 corrects floating-point errors: a fraction such as 0.6 of 1,000 must give exactly 600.
  const whole = (x: number): number => Math.floor(x + 1e-9);
  return {
    numDemonstrations: whole((units * demonstrationShare) / demonstrationCost),
    iterations: whole((units * (1 - demonstrationShare)) / (rollout.numGroups * rollout.groupSize)),
  };
}
