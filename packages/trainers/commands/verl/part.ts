import { formatHyperparameter } from "#packages/base";
import type { Method } from "#trainer/spec/method.ts";
import type { Remarks } from "../handling.ts";

/** A method's part of verl's command: overrides by section, notes, and problems with unsupported settings. */
export type MethodPart = Remarks & {
  estimator: string;
  actor: string[];
  algorithm: string[];
  sampling: string[];
  critic: string[];
  correction: string[];
};

/** verl's name of the loss that a method uses, and the properties of the verl fork (`flavour`) that runs the loss. */
export type Chosen = { loss: string; flavour: Flavour };

/** verl's name of the loss, empty for the default; a name that the trainer lacks is rejected elsewhere. */
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
 * True if a method is translated as Dr. GRPO: a group advantage without division by the standard deviation, with the
 * default loss. If batch rows are whole episodes, its aggregation must also be Dr. GRPO's, and the trainer must have
 * that estimator.
 */
export function isDrGrpo({ advantage, aggregation }: Method, { loss, flavour }: Chosen): boolean {
  if (advantage.kind !== "group" || advantage.scale !== "none" || loss !== "") return false;
  if (flavour.rows === "turns") return true;
  return aggregation === "seqMeanTokenSumNorm" && !flavour.unknownEstimators.includes("drgrpo");
}

/** Rejects values that differ from the code's constants, in triples of value, constant and name. */
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

/** Formats 1 as 1.0: Hydra would parse 1 as an integer where the configuration has a float. */
export function decimal(value: number): string {
  return Number.isInteger(value) ? value.toFixed(1) : String(value);
}

export function python(flag: boolean): string {
  return flag ? "True" : "False";
}

/** Quotes a text as a single Hydra value, unless it consists of letters, digits and harmless punctuation. */
export function hydraText(text: string): string {
  if (/^[A-Za-z./][\w./@:+-]*$/.test(text)) return text;
  // Backslashes stay literal except before a quote.
  return `'${text.replaceAll(/(\\*)('|$)/g, (_, slashes: string, quote: string) => `${slashes}${slashes}${quote && "\\'"}`)}'`;
}

/** Properties of verl or a fork that change the translation of a method. */
export type Flavour = {
  trainer: "ARLArena" | "verl-agent" | "verl";
  /** Content of a batch row: a turn with its own prompt, or a whole episode with masked feedback. */
  rows: "turns" | "episodes";
  /** Names of the losses that the trainer has besides the default loss. */
  losses: readonly string[];
  /** Number of batch rows per micro-batch and GPU; null if micro-batches are filled by tokens. */
  microBatch: number | null;
  /** Upper clip range (half-width above 1) that the trainer has by default. */
  usualHigh: number;
  /** True if the loop passes its step to dynamic sampling. Otherwise no cold start, even of 0 steps, ends. */
  countsSteps: boolean;
  /** Names of advantage estimators and losses that other recipes have and this trainer does not. */
  unknownEstimators: readonly string[];
  /** Filtering: rounds of new tasks, one larger batch, refilling a batch, or none. */
  filtersBy: "rounds" | "oversampling" | "refill" | null;
  /** Value by which verl's own trainer tells groups with equal rewards, if `filtersBy` is `refill`. */
  filterMetric?: "reward" | "acc" | null;
  /** Aggregation mode of each loss that ignores the aggregation setting. */
  ownModes: Readonly<Record<string, string>>;
};

export const role = "actor_rollout_ref";

/** Losses of ARLArena's agents, and of the copy of verl that its mathematics recipe uses. */
export const agentLosses = ["gspo", "sapo", "cispo", "aepo"] as const;
export const copiedLosses = [...agentLosses, "clip_cov", "kl_cov", "geo_mean"] as const;
/** Aggregation mode of the losses that average over whole responses, in ARLArena's agents and its copy of verl. */
export const copiedModes = { gspo: "seq-mean-token-mean", geo_mean: "seq-mean-token-mean" } as const;
