import { formatHyperparameter } from "#packages/base";
import type { Method } from "#trainer/spec/method.ts";
import type { Remark } from "../handling.ts";

/** Overrides of a method by section of the command, and problems with its unsupported parts. */
export type MethodPart = {
  estimator: string;
  actor: string[];
  algorithm: string[];
  sampling: string[];
  critic: string[];
  correction: string[];
  notes: Remark[];
  problems: Remark[];
};

/** Choice of the loss: its name in a trainer, and the trainer's properties. */
export type Chosen = { loss: string; flavour: Flavour };

/** Returns the name of a loss; empty for the default loss. Losses that no recipe has are rejected. */
export function lossOf(clipping: Method["clipping"]): string {
  return clipping.kind === "divergence" && clipping.measure === "binaryKl" ? "dppo_kl" : losses[clipping.kind];
}

const losses: Readonly<Record<Method["clipping"]["kind"], string>> = {
  token: "",
  sequence: "gspo",
  sapo: "sapo",
  cispo: "cispo",
  aepo: "aepo",
  geometricMean: "geo_mean",
  clipCov: "clip_cov",
  klCov: "kl_cov",
  divergence: "dppo_tv",
  quadratic: "drpo",
  quadraticLog: "dro",
  vespo: "vespo",
  aspo: "aspo",
  gradientPreserving: "ce_gppo",
  turn: "turn",
  score: "gpg",
  ratio: "reinforce",
};

export function refuse(part: MethodPart, path: string, message: string): void {
  part.problems.push({ path, message });
}

/**
 * True if a method is Dr. GRPO. In the agents, Dr. GRPO is an estimator with fixed aggregation; if rows are episodes,
 * an equal advantage suffices.
 */
export function isDrGrpo({ advantage, aggregation }: Method, { loss, flavour }: Chosen): boolean {
  if (advantage.kind !== "group" || advantage.scale !== "none" || loss !== "") return false;
  if (flavour.rows === "turns") return true;
  return aggregation === "seqMeanTokenSumNorm" && !flavour.unknownEstimators.includes("drgrpo");
}

/** Rejects values that differ from the code's constants, in triples of requested value, constant and name. */
export function refuseOtherConstants(
  part: MethodPart,
  section: string,
  constants: readonly (readonly [number, number, string])[],
): void {
  for (const [value, theirs, name] of constants) {
    if (value === theirs) continue;
    const path = `${section}.${name}`;
    refuse(part, path, `${value} is refused: the code fixes it to ${theirs}, and no override changes it`);
  }
}

/** Formats a number as the published scripts do: 0.000001 as 1e-6. */
export function number(value: number): string {
  return formatHyperparameter(Number(value.toPrecision(12)));
}

/** Formats 1 as 1.0, because Hydra would parse 1 as an integer where the configuration has a float. */
export function decimal(value: number): string {
  return Number.isInteger(value) ? value.toFixed(1) : String(value);
}

/** Formats a flag in Python's notation. */
export function python(flag: boolean): string {
  return flag ? "True" : "False";
}

/** Quotes a text as a single Hydra value if it contains a comma, a space or a bracket. */
export function hydraText(text: string): string {
  if (/^[A-Za-z./][\w./@:+-]*$/.test(text)) return text;
  // Backslashes stay literal except before a quote.
  return `'${text.replaceAll(/(\\*)('|$)/g, (_, slashes: string, quote: string) => `${slashes}${slashes}${quote && "\\'"}`)}'`;
}

/** Properties of a trainer that change the translation of a method. */
export type Flavour = {
  trainer: "ARLArena" | "verl-agent" | "verl";
  /** Contents of a training row: a turn with its own prompt, or a whole episode with masked feedback. */
  rows: "turns" | "episodes";
  /** Names of the losses that the trainer has besides the default loss. */
  losses: readonly string[];
  /** Rows per micro-batch and GPU; null if micro-batches are filled by tokens. */
  microBatch: number | null;
  /** Upper clip range (half-width above 1) that the trainer has by default. */
  usualHigh: number;
  /**
   * True if the training loop passes its step to dynamic sampling. Otherwise, a cold start of 0 steps would never end.
   */
  countsSteps: boolean;
  /** Estimators and losses of other recipes that this trainer does not have. */
  unknownEstimators: readonly string[];
  /** Way of filtering groups: rounds of new tasks, one larger batch, refilling a batch, or no filtering. */
  filtersBy: "rounds" | "oversampling" | "refill" | null;
  /** Aggregation of losses that ignore the aggregation setting, by loss. */
  ownModes: Readonly<Record<string, string>>;
};

export const role = "actor_rollout_ref";

/** Losses of ARLArena's agents, and of the copy of verl that ARLArena's mathematics recipe uses. */
export const agentLosses = ["gspo", "sapo", "cispo", "aepo"] as const;
export const copiedLosses = [...agentLosses, "clip_cov", "kl_cov", "geo_mean"] as const;
/** Aggregation of losses by which the agents' and the mathematics recipe's copy of verl averages whole rows. */
export const copiedModes = { gspo: "seq-mean-token-mean", geo_mean: "seq-mean-token-mean" } as const;
