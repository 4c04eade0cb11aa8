import type { RescueArm } from "#server/domain/plan/rescue/rescueRule.ts";

/** Causes of a collapse that the rules can name, with the words of pages and files. */
export const causes = {
  trainerFault: "trainer fault",
  dataChange: "data change",
  staleSampler: "stale sampler",
  precision: "precision mismatch",
  clipInactive: "clip inactive",
  stepTooLarge: "step too large",
  rewardHacking: "reward gained without success",
  lengthLimit: "length at the limit",
  repetition: "repetition",
  entropyGone: "entropy gone",
  formatLost: "format lost",
} as const;
export type Cause = keyof typeof causes;

export const notFound = "cause not found";

/** Evidence for a cause: one value of a metric before the collapse. */
export type Finding = {
  cause: Cause;
  metric: string;
  iteration: number;
  value: number;
  /** Median of the run's first values; null if there are too few. */
  usual: number | null;
  sentence: string;
};

/** Rule-based explanation of a collapse or alarm. Without findings, the cause was not found. */
export type Diagnosis = { sentence: string; findings: readonly Finding[] };

/** Changes of a rescue experiment that remove or correct a cause, best first. */
export const fittingArms: Readonly<Record<Cause, readonly RescueArm[]>> = {
  trainerFault: [],
  dataChange: [],
  staleSampler: ["fresh", "tis", "mis", "icePop"],
  precision: ["float", "tis", "mis", "icePop"],
  clipInactive: ["clip", "learningRate", "minibatch"],
  stepTooLarge: ["learningRate", "minibatch", "kl"],
  rewardHacking: ["kl"],
  lengthLimit: [],
  repetition: ["kl"],
  entropyGone: ["kl"],
  formatLost: ["kl"],
};

/** Sorts changes, those that fit a cause first. `fits`: the causes that each of them fits. */
export function sortArms<Arm extends { name: RescueArm }>(
  arms: readonly Arm[],
  { findings }: Diagnosis,
): (Arm & { fits: Cause[] })[] {
  const rank = (name: RescueArm) => {
    const ranks = findings.map(({ cause }) => fittingArms[cause].indexOf(name)).filter((one) => one >= 0);
    return Math.min(...ranks);
  };
  return arms
    .map((arm) => ({
      ...arm,
      fits: findings.map(({ cause }) => cause).filter((cause) => fittingArms[cause].includes(arm.name)),
    }))
    .toSorted((a, b) => (rank(a.name) === rank(b.name) ? 0 : rank(a.name) - rank(b.name)));
}
