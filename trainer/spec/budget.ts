import type { CellSpec } from "./run.ts";

/** How a run spends its budget: first on demonstrations, then on iterations of reinforcement learning. */
export type Spending = { numDemonstrations: number; iterations: number };

/**
 * Computes a spec's demonstrations and iterations. With a split (arXiv:2510.01132 §5.3), a fraction of the units pays
 * for demonstrations. The rest pays for whole iterations of numGroups × groupSize episodes.
 */
export function spendingOf({
  budget,
  initialisation,
  rollout,
}: Pick<CellSpec, "budget" | "initialisation" | "rollout">): Spending {
  const given = "numEpisodes" in initialisation ? initialisation.numEpisodes : 0;
  if (budget.split === null) return { numDemonstrations: given, iterations: budget.iterations };
  const { units, demonstrationShare, demonstrationCost } = budget.split;
  // A fraction such as 0.6 of 1,000 must give exactly 600, whatever its floating-point error.
  const whole = (x: number): number => Math.floor(x + 1e-9);
  return {
    numDemonstrations: whole((units * demonstrationShare) / demonstrationCost),
    iterations: whole((units * (1 - demonstrationShare)) / (rollout.numGroups * rollout.groupSize)),
  };
}
