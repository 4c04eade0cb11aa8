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
export const fittingArms: Readonly<Record<Cause, readonly string[]>> = {
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
