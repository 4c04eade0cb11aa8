import { meanOf } from "#trainer/spec/averages.ts";
import { tokenAdvantages } from "#trainer/objective/advantage.ts";
import { klEstimate } from "#trainer/objective/kl.ts";
import { rowRatio } from "#trainer/objective/opob.ts";
import type { Row } from "#trainer/objective/row.ts";
import { overlongCharge, withTurnPenalty } from "#trainer/objective/reward.ts";
import type { RolloutShape, RunSpec } from "#trainer/spec/run.ts";
import { hasMismatch } from "#trainer/spec/sampler.ts";
import { advantageTraits } from "#trainer/spec/traits.ts";
import type { TokenRow } from "./batch.ts";
import { explainedVariance, type Critic, type ValueRow } from "./critic.ts";
import type { Learner, Scores, Weights } from "./learner.ts";
import { measureMismatch } from "./mismatch.ts";
import type { GroupRecord, TurnRecord } from "#trainer/run/acting/rollout.ts";
import { cutByTurn, toSequences, toTokenRow } from "./sequences.ts";
import { shareOf } from "#trainer/run/acting/summary.ts";
import { greedyScoreOf, penaltiesOf, toRow, type PlacedTurn } from "./rows.ts";
import type { Versions } from "#trainer/run/acting/versions.ts";

/** One training row with the inputs of its loss; every array has one value per response token. */
export type UpdateRow = TokenRow & {
  /** Index of each token's turn in its episode: 0, 1, 2, … */
  turns: Float32Array;
  advantages: Float32Array;
  /** log π_old, computed before the update, or the sampler's if both policies are equal. */
  oldLogProbs: Float32Array;
  referenceLogProbs: Float32Array;
  /** Log-probabilities log μ under the sampler's policy, recorded during sampling. */
  samplerLogProbs: Float32Array;
  /** Number of completed iterations of the policy that sampled the row; absent if it is always the newest policy. */
  version?: number;
  /** Token entropies of the old policy, in nats. */
  entropies: Float32Array;
};

export type Credit = {
  rows: UpdateRow[];
  /** Training rows of the critic; empty if the method has no critic. */
  valueRows: ValueRow[];
  /** Mean KL between old and reference policy in nats per token, with the estimator of the KL penalty. */
  klMean: number;
  values: Record<string, number>;
};

type Scoring = {
  spec: RunSpec;
  shape: RolloutShape;
  learner: Learner;
  parameters: Weights;
  reference: Weights;
  critic: Critic | undefined;
  /** Older policy versions; undefined if the sampler always equals the trained policy. */
  versions: Versions | undefined;
};

/** Scores the kept groups' rows under old policy, reference and critic, and computes all advantages. */
export async function creditRows(scoring: Scoring, groups: readonly GroupRecord[], klCoef: number): Promise<Credit> {
  const sequences = placeTurns(groups, scoring);
  // If the sampling filter kept no group, there are no rows and the mean KL is undefined.
  if (sequences.length === 0) return { rows: [], valueRows: [], klMean: NaN, values: {} };
  const scored = await scoreRows(scoring, sequences);
  const credited = creditTurns(scoring, scored, klCoef);
  const { rows, valueRows } = toUpdateRows(scored, credited);
  const { learner, versions, spec } = scoring;
  return {
    rows,
    valueRows,
    klMean: meanOf(credited.kls.flatMap((kls) => [...kls])),
    values: {
      ...describeCredit(scoring, scored, { ...credited, klCoef }),
      ...(versions && (await measureMismatch({ learner, versions, rollout: spec.rollout }, rows))),
    },
  };
}

function placeTurns(groups: readonly GroupRecord[], { spec, shape }: Scoring): PlacedTurn[][] {
  return groups.flatMap(({ episodes, greedy, part }, groupIndex) => {
    const baseline = greedy && { greedyScore: greedyScoreOf(greedy, spec, shape) };
    const where = part && { part: part.name };
    return episodes.flatMap((episode, episodeIndex) =>
      toSequences(episode.turns, shape).map((turns) =>
        turns.map((turn) => ({ turn, episode, groupIndex, episodeIndex, ...baseline, ...where })),
      ),
    );
  });
}

/** Scores split by training row (`rows`) for the loss, and by turn (`byTurn`) for the advantages. */
type Scored = {
  turns: PlacedTurn[];
  /** Number of turns in each training row. */
  lengths: number[];
  /** Gradient norm of each training row, if the advantages need it (OPOB). */
  gradientNorms?: number[];
  texts: TokenRow[];
  rows: { old: Scores[]; reference: Scores[]; values?: Float32Array[] };
  byTurn: { old: Scores[]; reference: Scores[]; values?: Float32Array[] };
};

async function scoreRows(
  { spec, learner, parameters, reference, critic }: Scoring,
  sequences: readonly PlacedTurn[][],
): Promise<Scored> {
  const texts = sequences.map((placed) => toTokenRow(placed.map(({ turn }) => turn)));
  const cut = (values: readonly Float32Array[]): Float32Array[] =>
    values.flatMap((ofRow, i) => cutByTurn(ofRow, sequences[i]?.map(({ turn }) => turn) ?? []));
  const old = isOldRescored(spec) ? await learner.score(parameters, texts) : sequences.map(asSampled);
  const referenceScores = await learner.score(reference, texts);
  const values = await critic?.values(texts);
  const readsGradients = advantageTraits[spec.method.advantage.kind].reads === "gradientNorm";
  const gradientNorms = readsGradients ? await learner.gradientNorms(parameters, texts) : undefined;
  return {
    turns: sequences.flat(),
    lengths: sequences.map(({ length }) => length),
    texts,
    ...(gradientNorms && { gradientNorms }),
    rows: { old, reference: referenceScores, ...(values && { values }) },
    byTurn: {
      old: scoresOfTurns(old, cut),
      reference: scoresOfTurns(referenceScores, cut),
      ...(values && { values: cut(values) }),
    },
  };
}

/** Recomputes log π_old if the sampler is another policy, even if a correction then bypasses the old policy. */
function isOldRescored({ update, rollout }: RunSpec): boolean {
  return update.oldLogProbs === "trainer" || hasMismatch(rollout);
}

type Credited = {
  /** Advantages of each turn's response tokens. */
  advantages: ArrayLike<number>[];
  returns?: ArrayLike<number>[];
  /** KL between old and reference policy for each turn's response tokens, in nats. */
  kls: Float64Array[];
  /** Fraction of turns with a penalty for an overlong response. */
  overlongFraction: number;
};

function creditTurns({ spec, shape }: Scoring, scored: Scored, klCoef: number): Credited {
  const { turns, byTurn } = scored;
  const gradients = gradientsOf(scored);
  const kls = turns.map((_, i) => klOf(spec, byTurn.old[i], byTurn.reference[i]));
  const penalties = penaltiesOf(spec);
  const rows = withTurnPenalty(
    turns.map((placed, i) => ({ ...toRow(placed, writersEntropies(spec, placed, byTurn.old[i])), ...gradients[i] })),
    spec.reward.turnPenalty,
  );
  const { advantages, returns } = tokenAdvantages({
    rows,
    advantage: spec.method.advantage,
    penalties,
    shape,
    ...(isKlInReward(spec) && { klPenalties: kls.map((ofTurn) => ofTurn.map((x) => klCoef * x)) }),
    ...(byTurn.values && { values: byTurn.values }),
  });
  const overlongFraction = shareOf(rows, ({ numTokens }) => overlongCharge(numTokens, penalties) > 0);
  return { advantages, ...(returns && { returns }), kls, overlongFraction };
}

/** Gradient norm and ratio π_old/μ of each turn's training row; empty without gradient norms. */
function gradientsOf({
  turns,
  lengths,
  rows: { old },
  gradientNorms,
}: Scored): Pick<Row, "gradientNorm" | "samplerRatio">[] {
  const samplerLogProbs = samplerLogProbsOf(turns, lengths);
  return (gradientNorms ?? []).flatMap((gradientNorm, i) => {
    const samplerRatio = rowRatio(old[i]?.logProbs ?? empty, samplerLogProbs[i] ?? empty);
    return Array.from({ length: lengths[i] ?? 0 }, () => ({ gradientNorm, samplerRatio }));
  });
}

/** Returns the sampler's log-probabilities of each training row's response tokens. */
function samplerLogProbsOf(turns: readonly PlacedTurn[], lengths: readonly number[]): Float32Array[] {
  return join(
    turns.map(({ turn }) => turn.samplerLogProbs),
    lengths,
  );
}

function isKlInReward({ update }: RunSpec): boolean {
  return update.klPlacement === "reward";
}

function toUpdateRows(
  { turns, lengths, texts, rows: { old, reference, values } }: Scored,
  { advantages, returns }: Credited,
): Pick<Credit, "rows" | "valueRows"> {
  const [rowAdvantages, rowReturns] = [join(advantages, lengths), returns && join(returns, lengths)];
  const samplerLogProbs = samplerLogProbsOf(turns, lengths);
  const turnNumbers = join(
    turns.map(({ turn: { response, turn } }) => new Float32Array(response.length).fill(turn)),
    lengths,
  );
  const firstTurns = turnsAt(turns, lengths);
  return {
    rows: texts.map((text, i) => ({
      ...text,
      ...versionOf(firstTurns[i]),
      turns: turnNumbers[i] ?? empty,
      advantages: rowAdvantages[i] ?? empty,
      oldLogProbs: old[i]?.logProbs ?? empty,
      referenceLogProbs: reference[i]?.logProbs ?? empty,
      samplerLogProbs: samplerLogProbs[i] ?? empty,
      entropies: old[i]?.entropies ?? empty,
    })),
    valueRows: rowReturns
      ? texts.map((text, i) => ({ ...text, returns: rowReturns[i] ?? empty, oldValues: values?.[i] ?? empty }))
      : [],
  };
}

/** Returns each training row's first turn, which identifies its episode: all turns of a row belong to one episode. */
function turnsAt(turns: readonly PlacedTurn[], lengths: readonly number[]): (PlacedTurn | undefined)[] {
  let next = 0;
  return lengths.map((length) => turns[(next += length) - length]);
}

function versionOf(placed: PlacedTurn | undefined): { version?: number } {
  const version = placed?.episode.version;
  return version === undefined ? {} : { version };
}

function describeCredit(
  { spec }: Scoring,
  { turns, byTurn: { old, values }, gradientNorms }: Scored,
  { advantages, returns, kls, overlongFraction, klCoef }: Credited & { klCoef: number },
): Record<string, number> {
  return {
    "policy/entropy": meanOf(turns.flatMap((placed, i) => [...writersEntropies(spec, placed, old[i])])),
    ...(isOldRescored(spec) &&
      !hasMismatch(spec.rollout) && {
        "policy/samplerMismatch": meanOf(turns.flatMap(({ turn }, i) => mismatch(turn, old[i]))),
      }),
    ...(gradientNorms && { "advantage/rowGradientNorm": meanOf(gradientNorms) }),
    "advantage/absMean": meanOf(advantages.map((ofTurn) => meanOf(Array.from(ofTurn, Math.abs)))),
    ...(isKlInReward(spec) && {
      "reward/klPenalty": klCoef * meanOf(kls.map((ofTurn) => ofTurn.reduce((sum, x) => sum + x, 0))),
    }),
    ...(values && returns && describeValues(returns, values)),
    ...(spec.reward.overlongPenalty > 0 && { "reward/overlongFraction": overlongFraction }),
  };
}

const empty = new Float32Array(0);

/** Returns the sampler's recorded log-probabilities and entropies of a row's response tokens. */
function asSampled(placed: readonly PlacedTurn[]): Scores {
  return {
    logProbs: Float32Array.from(placed.flatMap(({ turn }) => [...turn.samplerLogProbs])),
    entropies: Float32Array.from(placed.flatMap(({ turn }) => [...turn.samplerEntropies])),
  };
}

function scoresOfTurns(scores: readonly Scores[], cut: (values: readonly Float32Array[]) => Float32Array[]): Scores[] {
  const entropies = cut(scores.map((ofRow) => ofRow.entropies));
  return cut(scores.map((ofRow) => ofRow.logProbs)).map((logProbs, i) => ({
    logProbs,
    entropies: entropies[i] ?? empty,
  }));
}

/** Joins arrays of token values per turn into one array per training row; row i has `lengths[i]` consecutive turns. */
function join(values: readonly ArrayLike<number>[], lengths: readonly number[]): Float32Array[] {
  let next = 0;
  return lengths.map((length) => {
    const ofRow = values.slice(next, (next += length));
    return Float32Array.from(ofRow.flatMap((part) => Array.from(part)));
  });
}

/** Metrics of the critic. The explained variance is absent if all returns are equal, because they have no variance. */
function describeValues(
  returns: readonly ArrayLike<number>[],
  values: readonly Float32Array[],
): Record<string, number> {
  const explained = explainedVariance(returns, values);
  return {
    "critic/valueMean": meanOf(values.flatMap((ofTurn) => [...ofTurn])),
    ...(Number.isFinite(explained) && { "critic/explainedVariance": explained }),
  };
}

/** Entropies of the policy that sampled a turn: the sampler's if it differs from the old policy. */
function writersEntropies({ rollout }: RunSpec, { turn }: PlacedTurn, old: Scores | undefined): Float32Array {
  return hasMismatch(rollout) ? turn.samplerEntropies : (old?.entropies ?? empty);
}

function klOf({ update }: RunSpec, old: Scores | undefined, reference: Scores | undefined): Float64Array {
  const logProbs = old?.logProbs ?? empty;
  return Float64Array.from(logProbs, (x, t) => klEstimate(update.klEstimator, x, reference?.logProbs[t] ?? 0));
}

function mismatch({ samplerLogProbs }: TurnRecord, old: Scores | undefined): number[] {
  return Array.from(samplerLogProbs, (x, t) => Math.abs(x - (old?.logProbs[t] ?? 0)));
}
