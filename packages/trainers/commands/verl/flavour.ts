/** Properties of a trainer, and its recipe's changes to the translation of a method. */
export type Flavour = {
  trainer: "ARLArena" | "verl-agent" | "verl";
  /** Content of a training row: a turn with its own prompt, or a whole episode with masked feedback. */
  rows: "turns" | "episodes";
  /** Losses besides the default one. */
  losses: readonly string[];
  /** Rows per micro-batch and GPU; null if micro-batches are filled by tokens. */
  microBatch: number | null;
  /** Default upper clip range. */
  usualHigh: number;
  /** True if the loop passes the step to dynamic sampling; otherwise a cold start of 0 would never end. */
  countsSteps: boolean;
  /** Estimators and losses of other recipes that this trainer lacks. */
  unknownEstimators: readonly string[];
  /** Group filter: rounds of fresh tasks, one larger batch, refilling a batch, or none. */
  filtersBy: "rounds" | "oversampling" | "refill" | null;
  /** Aggregation of losses that ignore the setting. */
  ownModes: Readonly<Record<string, string>>;
};

export const role = "actor_rollout_ref";

/** Losses of ARLArena's agents, and those of its copy of verl, used by its mathematics recipe. */
export const agentLosses = ["gspo", "sapo", "cispo", "aepo"] as const;
export const copiedLosses = [...agentLosses, "clip_cov", "kl_cov", "geo_mean"] as const;
/** The copy of verl in the agent and mathematics recipes averages whole rows by its own rule. */
export const copiedModes = { gspo: "seq-mean-token-mean", geo_mean: "seq-mean-token-mean" } as const;
