import type { Advantage } from "#trainer/spec/dimensions.ts";
import type { RolloutShape } from "#trainer/spec/run.ts";
import { meanOf, type Scale } from "./baseline.ts";
import { sequenceGae, turnGae, withFinal } from "./gae.ts";
import { gigpo } from "./gigpo.ts";
import { aboveGreedy, bestOfGroup, optimalBaseline, relativeToMean, scaledByInformative } from "./groupBaselines.ts";
import { groupRelative, leaveOneOut, type Samples } from "./groupRelative.ts";
import { hgpo } from "./hgpo.ts";
import { offPolicyBaseline } from "./opob.ts";
import { reinforcePlusPlus, whiten } from "./reinforcePlusPlus.ts";
import { turnPenalty, turnScores, type TurnPenalties } from "./reward.ts";
import { type Row, episodesOf, groupsOf, partition } from "./row.ts";
import { cutTurns, joinTurns, sequencesOf } from "./sequenceMask.ts";

export type AdvantageInputs = {
  /** All turns of an iteration, one per `Row`, for the statistics of groups. */
  rows: readonly Row[];
  advantage: Advantage;
  penalties: TurnPenalties;
  /** Unit of a training sequence. `windowed`: each turn is a sequence; `transcript`: each episode is one. */
  shape: RolloutShape;
  /** KL penalties per turn and response token, coefficient × KL; absent unless the reward contains them. */
  klPenalties?: readonly Float64Array[];
  /** The critic's values before the update, per turn and response token; only advantages of kind `gae` need them. */
  values?: readonly Float32Array[];
};

export type Advantages = {
  /** Advantages: one array per turn, one value per response token. */
  advantages: Float64Array[];
  /** Regression targets of the critic, per turn and response token; absent if the method has no critic. */
  returns?: Float32Array[];
};

/**
 * Computes the advantage of every response token of an iteration. All tokens of a turn have the same advantage,
 * except with a critic or REINFORCE++.
 * In `windowed` shape, the last token of a turn has the reward of the whole episode (ARLArena). In `transcript` shape
 * it has that turn's reward, and credit flows back through the earlier turns (arXiv:2510.01132).
 * In a mixture of environments, statistics are computed separately for each component environment.
 */
export function tokenAdvantages(inputs: AdvantageInputs): Advantages {
  const { rows, klPenalties, values } = inputs;
  const parts = partition([...rows.entries()], ({ part = "" }) => part);
  if (parts.length < 2) return advantagesWithin(inputs);
  const joined: Advantages = { advantages: [] };
  for (const part of parts) {
    const own = <Item>(items: readonly Item[]): Item[] => part.flatMap(([i]) => items.slice(i, i + 1));
    const ofPart = advantagesWithin({
      ...inputs,
      rows: own(rows),
      ...(klPenalties && { klPenalties: own(klPenalties) }),
      ...(values && { values: own(values) }),
    });
    for (const [k, [i]] of part.entries()) {
      joined.advantages[i] = ofPart.advantages[k] ?? new Float64Array();
      if (ofPart.returns) (joined.returns ??= [])[i] = ofPart.returns[k] ?? new Float32Array();
    }
  }
  return joined;
}

function advantagesWithin(inputs: AdvantageInputs): Advantages {
  const { rows, advantage, penalties, shape } = inputs;
  const sequences = sequencesOf(rows, shape);
  const scores = turnScores(rows, penalties, shape);
  const tokenRewards = rows.map(({ numTokens }, i) =>
    Float64Array.from({ length: numTokens }, (_, t) => -(inputs.klPenalties?.[i]?.[t] ?? 0)),
  );
  const total = scores.slice();
  for (const turns of sequences) {
    const charged = turns.reduce((sum, [i]) => sum + sumOf(tokenRewards[i]), 0);
    for (const [i] of turns) total[i] = (scores[i] ?? 0) + charged;
  }
  const samples = shape === "transcript" ? "episodes" : "turns";
  const episodeAdvantages = ({ base, scale }: Hgpo) =>
    base === true && { episodeAdvantages: groupRelative(rows, total, { scale, samples }) };
  const earned = shape === "transcript" ? ownRewards(rows, penalties) : scores;
  switch (advantage.kind) {
    case "group":
      return perRow(rows, groupRelative(rows, total, shape === "transcript" ? { ...advantage, samples } : advantage));
    case "rloo":
      return perRow(rows, leaveOneOut(rows, total, samples));
    case "reinforcePlusPlus": {
      const rewards = joinTurns(sequences, withFinal(tokenRewards, earned));
      const leaders = sequences.flatMap(([first]) => (first ? [first[1]] : []));
      return { advantages: cutTurns(sequences, reinforcePlusPlus(leaders, rewards, advantage)) };
    }
    case "gigpo":
      return perRow(rows, gigpo(rows, total, { ...advantage, ...penalties, samples }));
    case "empg":
      return perRow(rows, empg(rows, total, { ...advantage, samples }));
    case "opo":
      return perRow(rows, optimalBaseline(rows, total));
    case "opob":
      return perRow(rows, offPolicyBaseline(sequences, total, advantage));
    case "remax":
      return perRow(rows, aboveGreedy(rows, total));
    case "passK":
      return perRow(rows, bestOfGroup(rows, total, advantage));
    case "gpg":
      return perRow(rows, scaledByInformative(rows, total, samples));
    case "maxRl":
      return perRow(rows, relativeToMean(rows, total, samples));
    case "hgpo":
      return perRow(rows, hgpo(rows, { ...advantage, ...penalties, ...episodeAdvantages(advantage) }));
    case "gae": {
      const { values } = inputs;
      if (!values) throw new Error("advantages of kind gae need a critic's values");
      const { advantages, returns } = advantage.turns
        ? turnGae({ rows, values, tokenRewards }, ownRewards(rows, penalties), {
            tokens: advantage,
            turns: advantage.turns,
          })
        : sequenceGae({ sequences, values, rewards: withFinal(tokenRewards, earned) }, advantage);
      return { advantages: whiten(advantages), returns };
    }
  }
}

type Hgpo = Extract<Advantage, { kind: "hgpo" }>;

/** (B,) reward of each turn minus the penalties of that turn. */
function ownRewards(rows: readonly Row[], penalties: TurnPenalties): Float64Array {
  return Float64Array.from(rows, (row) => row.reward - turnPenalty(row, penalties));
}

function perRow(rows: readonly Row[], advantages: Float64Array): Advantages {
  return { advantages: rows.map(({ numTokens }, i) => new Float64Array(numTokens).fill(advantages[i] ?? 0)) };
}

function sumOf(values: Float64Array | undefined): number {
  return values?.reduce((sum, x) => sum + x, 0) ?? 0;
}

type Empg = { scale: Scale; samples: Samples; k: number; kFuture: number; zeta: number };

/**
 * Entropy-modulated advantages (EMPG, arXiv:2509.09265): A = A_GRPO·g(h) + ζ·f(h of the episode's next turn), centred
 * over the batch, where h is a turn's mean token entropy. g gives turns of low entropy more weight; f rewards a turn
 * that is followed by one of low entropy. The last turn of an episode has no bonus f.
 * @param scores (B,) score of each turn
 * @returns (B,); sums to 0
 */
function empg(rows: readonly Row[], scores: Float64Array, options: Empg): Float64Array<ArrayBuffer> {
  const { scale, samples, k, kFuture, zeta } = options;
  const entropies = unitEntropies(rows);
  const confidence = gradientScale(entropies, k);
  const advantages = groupRelative(rows, scores, { scale, samples }).map((x, i) => x * (confidence[i] ?? 0));
  for (const [i, next] of nextTurns(rows)) {
    advantages[i] = (advantages[i] ?? 0) + zeta * Math.exp(-kFuture * (entropies[next] ?? 0));
  }
  const mean = meanOf([...advantages]);
  return advantages.map((x) => x - mean);
}

/** EMPG's weight of every turn, g = e^(−k·h̃) divided by its batch mean; h̃ is its entropy, scaled to [0, 1]. */
export function gradientScale(entropies: readonly number[], k: number): number[] {
  const weights = entropies.map((h) => Math.exp(-k * h));
  const mean = meanOf(weights);
  return weights.map((x) => x / (mean + 1e-8));
}

/** Returns the turns' entropies, scaled linearly to [0, 1] over the whole batch. */
export function unitEntropies(rows: readonly Row[]): number[] {
  const entropies = rows.map((row) => row.entropy);
  const low = entropies.reduce((a, b) => Math.min(a, b), Infinity);
  const high = entropies.reduce((a, b) => Math.max(a, b), -Infinity);
  return entropies.map((h) => (h - low) / (high - low + 1e-8));
}

/** Returns pairs of row indices: a turn, and the next turn of the same episode. */
function nextTurns(rows: readonly Row[]): [number, number][] {
  return groupsOf(rows)
    .flatMap(episodesOf)
    .flatMap((episode) =>
      episode.slice(1).map(([next], position): [number, number] => [episode[position]?.[0] ?? 0, next]),
    );
}
