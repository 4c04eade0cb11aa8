import type { Advantage } from "#trainer/spec/dimensions.ts";
import { baselineOf, meanOf } from "./baseline.ts";
import { samplesOf, type Samples } from "./groupRelative.ts";
import { episodesOf, groupsOf, type Row } from "./row.ts";

type Scores = Float64Array;
const epsilon = 1e-6;

/**
 * OPO (arXiv:2505.23585): A = s − Σ n·s / Σ n, summed over the group's rows, where s is a row's score and n its
 * number of tokens. The baseline has minimum variance if gradients grow with response length.
 * @param scores (B,)
 * @returns (B,) advantages; the score itself in a group of one row
 */
export function optimalBaseline(rows: readonly Row[], scores: Scores): Scores {
  const advantages = Float64Array.from(scores);
  for (const group of groupsOf(rows)) {
    if (group.length < 2) continue;
    const tokens = group.reduce((sum, [, row]) => sum + row.numTokens, 0);
    const weighed = group.reduce((sum, [i, row]) => sum + row.numTokens * (scores[i] ?? 0), 0);
    for (const [i] of group) advantages[i] = (scores[i] ?? 0) - weighed / Math.max(tokens, 1);
  }
  return advantages;
}

/** ReMax (arXiv:2310.10505): A = s − the score of the greedily decoded episode of the same task. */
export function aboveGreedy(rows: readonly Row[], scores: Scores): Scores {
  return scores.map((score, i) => {
    const greedy = rows[i]?.greedyScore;
    if (greedy === undefined) throw new Error(`advantages of kind remax need a greedy score: row ${i} has none`);
    return score - greedy;
  });
}

/**
 * Pass@k training (arXiv:2503.19595): only the best episode of a group has an advantage, its score minus the second
 * best score. With standard-deviation scaling, it is divided by the group's standard deviation + 1e-6.
 * @returns (B,); 0 if several episodes are best, and in a group of one episode
 */
export function bestOfGroup(
  rows: readonly Row[],
  scores: Scores,
  { scale }: Pick<Extract<Advantage, { kind: "passK" }>, "scale">,
): Scores {
  const advantages = new Float64Array(rows.length);
  for (const group of groupsOf(rows)) {
    const episodes = episodesOf(group).map((turns) => ({ turns, score: meanOf(turns.map(([i]) => scores[i] ?? 0)) }));
    const [best, second] = episodes.toSorted((a, b) => b.score - a.score);
    if (!best || !second) continue;
    const { std } = baselineOf(episodes.map(({ score }) => score));
    const lead = best.score - second.score;
    for (const [i] of best.turns) advantages[i] = scale === "groupStd" ? lead / (std + epsilon) : lead;
  }
  return advantages;
}

/** GPG (arXiv:2504.02546, as in verl): A = α·(s − μ_g). α: rows / rows with s ≠ 0; μ_g = 0 in a group of one sample. */
export function scaledByInformative(rows: readonly Row[], scores: Scores, samples: Samples): Scores {
  const numInformative = scores.reduce((n, score) => n + (score === 0 ? 0 : 1), 0);
  const alpha = rows.length / Math.max(numInformative, 1);
  return perSample(rows, { scores, samples }, (score, mean) => alpha * (score - mean));
}

/**
 * MaxRL (as in prime-rl and SkyRL): A = (s − μ_g)/(μ_g + 1e-6), so rare successes count most; s for a single sample.
 */
export function relativeToMean(rows: readonly Row[], scores: Scores, samples: Samples): Scores {
  return perSample(rows, { scores, samples }, (score, mean, isAlone) =>
    isAlone ? score : (score - mean) / (mean + epsilon),
  );
}

function perSample(
  rows: readonly Row[],
  { scores, samples }: { scores: Scores; samples: Samples },
  advantageOf: (score: number, mean: number, isAlone: boolean) => number,
): Scores {
  const advantages = new Float64Array(rows.length);
  for (const group of groupsOf(rows)) {
    const ofGroup = samplesOf(group, scores, samples);
    const isAlone = ofGroup.length < 2;
    const mean = isAlone ? 0 : meanOf(ofGroup);
    for (const [i] of group) advantages[i] = advantageOf(scores[i] ?? 0, mean, isAlone);
  }
  return advantages;
}
