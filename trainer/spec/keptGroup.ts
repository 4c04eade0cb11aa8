import { z } from "zod";
import { TokenCounts } from "./tokenBins.ts";

/**
 * Files of training groups beside a run's log. `groups.jsonl` has one line per group. `groups.parquets` holds their
 * tokens as complete Parquet files, one after the other; a line says from which byte to which its own goes.
 */
export const groupFiles = { index: "groups.jsonl", tokens: "groups.parquets" } as const;

/**
 * Effect of the loss on a token. `clippedHigh`, `clippedLow`: the bound of the ratio changed its loss; `clippedDual`:
 * the dual clip did. `maskedToken`, `maskedRow`, `maskedGroup`: dropped by itself, with its row, or with its group.
 */
export const fates = [
  "used",
  "clippedHigh",
  "clippedLow",
  "clippedDual",
  "maskedToken",
  "maskedRow",
  "maskedGroup",
] as const;
export const Fate = z.enum(fates);
export type Fate = z.infer<typeof Fate>;

const Measured = z.number().nullable();

/** One line of a group's Parquet file: a response token, or the whole prompt of a turn. null: not recorded. */
export const GroupToken = z.object({
  /** Indices within the group and within the episode, from 0. */
  episode: z.int(),
  turn: z.int(),
  role: z.enum(["prompt", "response"]),
  text: z.string(),
  /** Token id; null for prompts. */
  id: z.int().nullable(),
  /** Reward of the turn, and undiscounted return of the episode. */
  reward: Measured,
  return: Measured,
  /** Number of iterations by which the sampling policy is older than the newest. */
  behind: Measured,
  /** Log-probabilities in nats under the sampler, under π_old, and under π_θ at the token's last optimizer step. */
  samplerLogProb: Measured,
  oldLogProb: Measured,
  logProb: Measured,
  /** Ratio that the clip range bounds: of the token, the turn or the whole row. */
  ratio: Measured,
  advantage: Measured,
  /** Weight W of the token's loss ℓ in Σ W·ℓ, with importance weights; `gradient`: ∂(Σ W·ℓ)/∂ log π_θ. */
  weight: Measured,
  loss: Measured,
  gradient: Measured,
  fate: Fate.nullable(),
});
export type GroupToken = z.infer<typeof GroupToken>;

/** Numbers of a prompt, or of a token in a file that lacks them. */
export const notRecorded = {
  id: null,
  samplerLogProb: null,
  oldLogProb: null,
  logProb: null,
  ratio: null,
  advantage: null,
  weight: null,
  loss: null,
  gradient: null,
  fate: null,
} as const satisfies Partial<GroupToken>;

const Marks = z.array(z.enum(["zeroVariance", "extreme"]));

/** One line of `groups.jsonl`: a complete group of training episodes. Arrays have one value per episode. */
export const KeptGroup = z.object({
  v: z.literal(1),
  iteration: z.int().min(0),
  /** Index among the groups that the iteration generated. */
  group: z.int().min(0),
  /** Seed of the task, or its number in another trainer's files. */
  task: z.int(),
  taskType: z.string().optional(),
  /** Component of a mixture, or phase of a curriculum. */
  part: z.string().optional(),
  fromByte: z.int().min(0),
  numBytes: z.int().min(0),
  returns: z.array(Measured),
  /** null: the file of another trainer does not say. */
  successes: z.array(z.boolean().nullable()),
  /** Mean advantage over the episode's response tokens. */
  advantages: z.array(Measured),
  numTurns: z.array(z.int()),
  numTokens: z.array(z.int()),
  /** Fractions of response tokens that were clipped, and that were masked; null: not recorded. */
  clipped: Measured,
  masked: Measured,
  marks: Marks,
  /** All tokens that the iteration trained, of whichever group; on one line of each iteration. */
  trained: TokenCounts.optional(),
});
export type KeptGroup = z.infer<typeof KeptGroup>;

/** A group to be written: its summary without its place in the file, and its tokens. */
export type GroupToWrite = { head: Omit<KeptGroup, "fromByte" | "numBytes">; tokens: readonly GroupToken[] };

/** Bounds of an ordinary group: ratios within [1/2, 2] and advantages within ±3. */
const [maxRatio, maxAdvantage] = [2, 3];

type Described = Pick<KeptGroup, "iteration" | "group" | "task" | "taskType" | "part" | "successes">;

/** Summarises a group's tokens. The writer adds the position of its Parquet file. */
export function summariseGroup(described: Described, tokens: readonly GroupToken[]): GroupToWrite["head"] {
  const responses = tokens.filter(({ role }) => role === "response");
  const episodes = described.successes.map((_, index) => tokens.filter(({ episode }) => episode === index));
  const returns = episodes.map((own) => finite(own[0]?.return));
  const known = responses.filter(({ fate }) => fate !== null);
  const share = (start: string): number | null =>
    known.length === 0 ? null : known.filter(({ fate }) => fate?.startsWith(start)).length / known.length;
  const isExtreme = responses.some(
    ({ ratio, advantage }) =>
      (ratio !== null && (ratio > maxRatio || ratio < 1 / maxRatio)) ||
      (advantage !== null && Math.abs(advantage) > maxAdvantage),
  );
  const isEqual = returns.every((each) => each !== null && each === returns[0]);
  return {
    v: 1,
    ...described,
    returns,
    advantages: episodes.map((own) => meanOf(own.flatMap(({ advantage }) => advantage ?? []))),
    numTurns: episodes.map((own) => new Set(own.map(({ turn }) => turn)).size),
    numTokens: episodes.map((own) => own.filter(({ role }) => role === "response").length),
    clipped: share("clipped"),
    masked: share("masked"),
    marks: [...(isEqual ? ["zeroVariance" as const] : []), ...(isExtreme ? ["extreme" as const] : [])],
  };
}

/** Replaces numbers that JSON cannot represent (NaN, infinities) by null. */
function finite(x: number | null | undefined): number | null {
  return x !== null && x !== undefined && Number.isFinite(x) ? x : null;
}

function meanOf(values: readonly number[]): number | null {
  return values.length === 0 ? null : finite(values.reduce((sum, x) => sum + x, 0) / values.length);
}
