/** Which trainer it is, and what its recipe changes in the translation of a method. */
export type Flavour = {
  trainer: "ARLArena" | "verl-agent" | "verl";
  /** What is one row of training: a turn with its own prompt, or a whole episode with its feedback masked. */
  rows: "turns" | "episodes";
  /** Losses beside the usual one. */
  losses: readonly string[];
  /** Rows of a micro-batch on each GPU; null where micro-batches are filled with tokens. */
  microBatch: number | null;
  /** The upper clip range where nobody says another. */
  usualHigh: number;
  /** Whether the loop passes the step to dynamic sampling; where not, a cold start of 0 would never end. */
  countsSteps: boolean;
  /** Estimators and losses of the other recipes that this one's trainer does not know. */
  unknownEstimators: readonly string[];
  /** How groups are chosen: rounds of fresh tasks, one larger batch, groups that refill a batch, or not at all. */
  filtersBy: "rounds" | "oversampling" | "refill" | null;
  /** Aggregation of losses that ignore the setting. */
  ownModes: Readonly<Record<string, string>>;
};

export const role = "actor_rollout_ref";

/** Losses of ARLArena's agents, and those of its copy of verl, which its mathematics trains with. */
export const agentLosses = ["gspo", "sapo", "cispo", "aepo"] as const;
export const copiedLosses = [...agentLosses, "clip_cov", "kl_cov", "geo_mean"] as const;
/** The copy of verl below the agent and mathematics recipes averages whole rows by its own rule. */
export const copiedModes = { gspo: "seq-mean-token-mean", geo_mean: "seq-mean-token-mean" } as const;
