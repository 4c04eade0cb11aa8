import { measureTemplates, type Templates } from "#trainer/objective/templates.ts";
import { chanceOf } from "#trainer/spec/origin.ts";
import { split, type Rng } from "#trainer/spec/rng.ts";
import type { RolloutShape, RunSpec } from "#trainer/spec/run.ts";
import type { GroupRecord } from "#trainer/run/acting/rollout.ts";
import type { TokenRow } from "./batch.ts";
import type { Learner, Weights } from "./learner.ts";
import { shuffled } from "./update.ts";

type Scoring = { spec: RunSpec; shape: RolloutShape; learner: Learner; parameters: Weights };

/**
 * Measures how strongly an iteration's responses depend on their prompts (template collapse). Each sampled response
 * is scored under every sampled prompt, so the cost grows with the squared number of pairs. Returns no metrics unless
 * the specification requests them and at least two prompts differ.
 */
export async function describeTemplates(
  { spec, shape, learner, parameters }: Scoring,
  groups: readonly GroupRecord[],
  iteration: number,
): Promise<Record<string, number>> {
  const { templatePairs } = spec.evaluation;
  if (templatePairs === undefined) return {};
  const pairs = drawPairs(groups, { count: templatePairs, shape }, split(chanceOf(spec), "templates", iteration));
  const prompts = new Map(pairs.map(({ prompt }) => [prompt.join(), prompt]));
  if (prompts.size < 2) return {};
  const keys = [...prompts.keys()];
  const rows = pairs.flatMap(({ response }) => [...prompts.values()].map((prompt) => ({ prompt, response })));
  const scores = await learner.score(parameters, rows);
  const sums = scores.map(({ logProbs }) => logProbs.reduce((sum, x) => sum + x, 0));
  const cross = pairs.map((_, i) => Float64Array.from(sums.slice(i * keys.length, (i + 1) * keys.length)));
  const perToken = cross.map((row, i) => row.map((x) => x / (pairs[i]?.response.length ?? NaN)));
  const own = pairs.map(({ prompt }) => keys.indexOf(prompt.join()));
  return toMetrics(measureTemplates(cross, own), measureTemplates(perToken, own));
}

function toMetrics(whole: Templates, perToken: Templates): Record<string, number> {
  return {
    "template/mutualInformation": whole.mutualInformation,
    "template/conditionalEntropy": whole.conditionalEntropy,
    "template/marginalEntropy": whole.marginalEntropy,
    "template/retrievalAccuracy": whole.retrievalAccuracy,
    "template/zScore": whole.zScore,
    "template/mutualInformationPerToken": perToken.mutualInformation,
  };
}

/**
 * Draws one turn of one episode per visit of a task, in random order. In transcripts it is the first, whose prompt is
 * complete.
 */
function drawPairs(
  groups: readonly GroupRecord[],
  { count, shape }: { count: number; shape: RolloutShape },
  rng: Rng,
): Pick<TokenRow, "prompt" | "response">[] {
  const order = shuffled(groups, rng);
  if (order.length === 0) return [];
  return Array.from({ length: count }, (_, i) => order[i % order.length]).flatMap((group) => {
    const { turns } = group?.episodes[rng.int(group.episodes.length)] ?? { turns: [] };
    const turn = turns[shape === "windowed" ? rng.int(turns.length) : 0];
    return turn && turn.response.length > 0 ? [{ prompt: turn.prompt, response: turn.response }] : [];
  });
}
