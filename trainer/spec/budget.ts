import type { CellSpec } from "./run.ts";

/** What a run spends: demonstrations first, then iterations of reinforcement learning. */
export type Spending = { numDemonstrations: number; iterations: number };

/**
 * The two numbers that a spec's budget comes to. With a split (arXiv:2510.01132 §5.3), the share of the units goes to
 * demonstrations at their cost, the rest to whole iterations of numGroups × groupSize episodes.
 */
export function spendingOf({ budget, initialisation, rollout }: CellSpec): Spending {
  const given = initialisation.kind === "scratch" ? 0 : initialisation.numEpisodes;
  if (budget.split === null) return { numDemonstrations: given, iterations: budget.iterations };
  const { units, demonstrationShare, demonstrationCost } = budget.split;
  // A share such as 0.6 of 1,000 must buy the whole 600, whatever its last binary digit.
  const whole = (x: number): number => Math.floor(x + 1e-9);
  return {
    numDemonstrations: whole((units * demonstrationShare) / demonstrationCost),
    iterations: whole((units * (1 - demonstrationShare)) / (rollout.numGroups * rollout.groupSize)),
  };
}
