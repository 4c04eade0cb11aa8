import { tokenAdvantages } from "#trainer/objective/advantage.ts";
import { klEstimate } from "#trainer/objective/kl.ts";
import { overlongCharge, withTurnPenalty } from "#trainer/objective/reward.ts";
import type { Row } from "#trainer/objective/row.ts";
import type { RunSpec } from "#trainer/spec/run.ts";
import type { TokenRow } from "./batch.ts";
import { explainedVariance, type Critic, type ValueRow } from "./critic.ts";
import type { Learner, Parameters, Scores } from "./learner.ts";
import type { EpisodeRecord, GroupRecord, TurnRecord } from "./rollout.ts";
import { isValid, meanOf, shareOf } from "./summary.ts";

/** One row with everything its loss reads, per response token. */
export type UpdateRow = TokenRow & {
  /** Position in its episode: 0, 1, 2, … */
  turn: number;
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

type Scoring = { spec: RunSpec; learner: Learner; parameters: Parameters; reference: Parameters; critic?: Critic };
type Place = { turn: TurnRecord; episode: EpisodeRecord; groupIndex: number; episodeIndex: number };

/**
 * Scores the rows of the kept groups under the old policy, the reference and the critic, and credits every token with
 * its advantage.
 */
export async function creditRows(
  { spec, learner, parameters, reference, critic }: Scoring,
  groups: readonly GroupRecord[],
  klCoef: number,
): Promise<Credit> {
  const places = groups.flatMap((group, groupIndex) =>
    group.episodes.flatMap((episode, episodeIndex) =>
      episode.turns.map((turn): Place => ({ turn, episode, groupIndex, episodeIndex })),
    ),
  );
  const turns = places.map(({ turn }) => turn);
  // A filter may leave nothing: then there is nothing to credit, and no mean of it.
  if (turns.length === 0) return { rows: [], valueRows: [], klMean: NaN, values: {} };
  const old = await learner.score(parameters, turns);
  const references = await learner.score(reference, turns);
  const oldValues = await critic?.values(turns);

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
    ...(isKlInReward && { klPenalties: kls.map((own) => own.map((x) => klCoef * x)) }),
    ...(oldValues && { values: oldValues }),
  });
  return {
    rows: turns.map(({ prompt, response, turn, samplerLogProbs }, i) => ({
      prompt,
      response,
      turn,
      advantages: Float32Array.from(advantages[i] ?? []),
      oldLogProbs: old[i]?.logProbs ?? empty,
      referenceLogProbs: references[i]?.logProbs ?? empty,
      samplerLogProbs,
      entropies: old[i]?.entropies ?? empty,
    })),
    valueRows: (returns ?? []).map((own, i) => ({
      prompt: turns[i]?.prompt ?? new Int32Array(),
      response: turns[i]?.response ?? new Int32Array(),
      returns: own,
      oldValues: oldValues?.[i] ?? empty,
    })),
    klMean: meanOf(kls.flatMap((own) => [...own])),
    values: {
      "policy/entropy": meanOf(old.flatMap(({ entropies }) => [...entropies])),
      "policy/samplerMismatch": meanOf(turns.flatMap((turn, i) => mismatch(turn, old[i]))),
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
