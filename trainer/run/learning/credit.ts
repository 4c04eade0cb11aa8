import { tokenAdvantages } from "#trainer/objective/advantage.ts";
import { klEstimate } from "#trainer/objective/kl.ts";
import { overlongCharge, withTurnPenalty } from "#trainer/objective/reward.ts";
import type { Row } from "#trainer/objective/row.ts";
import type { RolloutShape, RunSpec } from "#trainer/spec/run.ts";
import type { TokenRow } from "./batch.ts";
import { explainedVariance, type Critic, type ValueRow } from "./critic.ts";
import type { Learner, Parameters, Scores } from "./learner.ts";
import type { EpisodeRecord, GroupRecord, TurnRecord } from "#trainer/run/acting/rollout.ts";
import { cutByTurn, toSequences, toTokenRow } from "./sequences.ts";
import { isValid, meanOf, shareOf } from "#trainer/run/acting/summary.ts";

/** One row with everything its loss reads, per response token. */
export type UpdateRow = TokenRow & {
  /** Position in its episode of each token's turn: 0, 1, 2, … */
  turns: Float32Array;
  advantages: Float32Array;
  oldLogProbs: Float32Array;
  referenceLogProbs: Float32Array;
  samplerLogProbs: Float32Array;
  /** Of the old policy. */
  entropies: Float32Array;
};

export type Credit = {
  rows: UpdateRow[];
  /** What the critic is to learn; empty without one. */
  valueRows: ValueRow[];
  /** Mean KL of the old policy to the reference, nats per token, as the reward sees it. */
  klMean: number;
  values: Record<string, number>;
};

type Scoring = {
  spec: RunSpec;
  shape: RolloutShape;
  learner: Learner;
  parameters: Parameters;
  reference: Parameters;
  critic?: Critic;
};
type Place = { turn: TurnRecord; episode: EpisodeRecord; groupIndex: number; episodeIndex: number };

/**
 * Scores the rows of the kept groups under the old policy, the reference and the critic, and credits every token with
 * its advantage.
 */
export async function creditRows(
  { spec, shape, learner, parameters, reference, critic }: Scoring,
  groups: readonly GroupRecord[],
  klCoef: number,
): Promise<Credit> {
  const sequences = groups.flatMap((group, groupIndex) =>
    group.episodes.flatMap((episode, episodeIndex) =>
      toSequences(episode.turns, shape).map((turns) =>
        turns.map((turn): Place => ({ turn, episode, groupIndex, episodeIndex })),
      ),
    ),
  );
  // A filter may leave nothing: then there is nothing to credit, and no mean of it.
  if (sequences.length === 0) return { rows: [], valueRows: [], klMean: NaN, values: {} };
  const texts = sequences.map((places) => toTokenRow(places.map(({ turn }) => turn)));
  const places = sequences.flat();
  const turns = places.map(({ turn }) => turn);
  const cut = (values: readonly Float32Array[]): Float32Array[] =>
    values.flatMap((own, i) => cutByTurn(own, sequences[i]?.map(({ turn }) => turn) ?? []));
  const isOldRescored = spec.update.oldLogProbs === "trainer";
  const scores = isOldRescored ? await learner.score(parameters, texts) : sequences.map(asSampled);
  const referenceScores = await learner.score(reference, texts);
  const textValues = await critic?.values(texts);
  const old = scoresOfTurns(scores, cut);
  const references = scoresOfTurns(referenceScores, cut);
  const oldValues = textValues && cut(textValues);

  const isKlInReward = spec.update.klPlacement === "reward";
  const kls = turns.map((_, i) => klOf(spec, old[i], references[i]));
  const penalties = { ...spec.reward, maxResponseTokens: spec.rollout.maxResponseTokens };
  const rows = withTurnPenalty(
    places.map((place, i) => toRow(place, old[i])),
    spec.reward.turnPenalty,
  );
  const { advantages, returns } = tokenAdvantages({
    rows,
    advantage: spec.method.advantage,
    penalties,
    shape,
    ...(isKlInReward && { klPenalties: kls.map((own) => own.map((x) => klCoef * x)) }),
    ...(oldValues && { values: oldValues }),
  });
  const joined = joiner(sequences.map((own) => own.length));
  const [rowAdvantages, rowReturns] = [joined(advantages), returns && joined(returns)];
  const samplerLogProbs = joined(turns.map((turn) => turn.samplerLogProbs));
  const turnNumbers = joined(turns.map(({ turn, response }) => new Float32Array(response.length).fill(turn)));
  return {
    rows: texts.map((text, i) => ({
      ...text,
      turns: turnNumbers[i] ?? empty,
      advantages: rowAdvantages[i] ?? empty,
      oldLogProbs: scores[i]?.logProbs ?? empty,
      referenceLogProbs: referenceScores[i]?.logProbs ?? empty,
      samplerLogProbs: samplerLogProbs[i] ?? empty,
      entropies: scores[i]?.entropies ?? empty,
    })),
    valueRows: rowReturns
      ? texts.map((text, i) => ({ ...text, returns: rowReturns[i] ?? empty, oldValues: textValues?.[i] ?? empty }))
      : [],
    klMean: meanOf(kls.flatMap((own) => [...own])),
    values: {
      "policy/entropy": meanOf(old.flatMap(({ entropies }) => [...entropies])),
      ...(isOldRescored && { "policy/samplerMismatch": meanOf(turns.flatMap((turn, i) => mismatch(turn, old[i]))) }),
      "advantage/absMean": meanOf(advantages.map((own) => meanOf([...own].map(Math.abs)))),
      ...(isKlInReward && {
        "reward/klPenalty": klCoef * meanOf(kls.map((own) => own.reduce((sum, x) => sum + x, 0))),
      }),
      ...(oldValues && returns && describeValues(returns, oldValues)),
      ...(spec.reward.overlongPenalty > 0 && {
        "reward/overlongFraction": shareOf(rows, ({ numTokens }) => overlongCharge(numTokens, penalties) > 0),
      }),
    },
  };
}

const empty = new Float32Array(0);

/** A row's scores as its tokens were drawn. */
function asSampled(places: readonly Place[]): Scores {
  return {
    logProbs: Float32Array.from(places.flatMap(({ turn }) => [...turn.samplerLogProbs])),
    entropies: Float32Array.from(places.flatMap(({ turn }) => [...turn.samplerEntropies])),
  };
}

function scoresOfTurns(scores: readonly Scores[], cut: (values: readonly Float32Array[]) => Float32Array[]): Scores[] {
  const entropies = cut(scores.map((own) => own.entropies));
  return cut(scores.map((own) => own.logProbs)).map((logProbs, i) => ({ logProbs, entropies: entropies[i] ?? empty }));
}

/** Puts the tokens of consecutive turns together again, `lengths` turns to a row. */
function joiner(lengths: readonly number[]) {
  return (values: readonly ArrayLike<number>[]): Float32Array[] => {
    let next = 0;
    return lengths.map((length) => {
      const own = values.slice(next, (next += length));
      return Float32Array.from(own.flatMap((part) => Array.from(part)));
    });
  };
}

/** Returns that are all alike leave nothing to explain: then the share explained is left out. */
function describeValues(returns: readonly Float32Array[], values: readonly Float32Array[]): Record<string, number> {
  const explained = explainedVariance(returns, values);
  return {
    "critic/valueMean": meanOf(values.flatMap((own) => [...own])),
    ...(Number.isFinite(explained) && { "critic/explainedVariance": explained }),
  };
}

function toRow({ turn, episode, groupIndex, episodeIndex }: Place, old: Scores | undefined): Row {
  return {
    group: groupIndex,
    episode: episodeIndex,
    turn: turn.turn,
    anchor: turn.anchor,
    reward: turn.reward,
    episodeReward: episode.episodeReward,
    isValid: isValid(turn),
    numTokens: turn.response.length,
    entropy: meanOf([...(old?.entropies ?? [])]),
  };
}

function klOf({ update }: RunSpec, old: Scores | undefined, reference: Scores | undefined): Float64Array {
  const own = old?.logProbs ?? empty;
  return Float64Array.from(own, (x, t) => klEstimate(update.klEstimator, x, reference?.logProbs[t] ?? 0));
}

function mismatch({ samplerLogProbs }: TurnRecord, old: Scores | undefined): number[] {
  return Array.from(samplerLogProbs, (x, t) => Math.abs(x - (old?.logProbs[t] ?? 0)));
}
