import type { Metric } from "#trainer/spec/metric.ts";
import { formatCount } from "#server/domain/words.ts";
import { writeSpread, writeSpreadOfSeeds } from "#server/domain/spread/writeSpread.ts";
import type { Ranking } from "./rank.ts";

type Told = {
  metric: Pick<Metric, "title" | "unit" | "better">;
  rankings: readonly Ranking[];
  /** In hindsight; undefined where the curves that tell are too many to be read. */
  collapses: { numJudged: number; numCollapsed: number } | undefined;
  numRuns: number;
  numOver: number;
  /** The configurations were drawn one after another by what those before came to. */
  isSearch?: boolean;
};

/** The answer of a sweep in a sentence or two: who leads, whether that can be told from the others, how many collapsed. */
export function describeHeadline({ metric, rankings, collapses, numRuns, numOver, isSearch = false }: Told): string {
  const describe = isSearch ? describeBest : describeRanking;
  const sentences = rankings.map((ranking) => {
    const where = rankings.length > 1 ? `${ranking.environment}: ` : "";
    return `${where}${describe(ranking, metric)}.`;
  });
  if (collapses && rankings.length > 0) sentences.push(describeCollapses(collapses, numRuns));
  if (rankings.length > 0 && numOver < numRuns) {
    sentences.push(`${numRuns - numOver} of ${numRuns} are not over: these numbers are provisional.`);
  }
  return sentences.join(" ");
}

/** A run without a success rate or reward cannot be judged, and must not count as one that did not collapse. */
function describeCollapses({ numJudged, numCollapsed }: NonNullable<Told["collapses"]>, numRuns: number): string {
  if (numJudged === 0) return "Whether runs collapsed cannot be judged: they logged neither success nor reward.";
  const isWhole = numJudged === numRuns;
  const whole = isWhole ? "" : `; ${formatCount(numRuns - numJudged, "run")} cannot be judged by what was logged`;
  if (numCollapsed === 0) return isWhole ? "No run collapsed." : `None of ${numJudged} judged runs collapsed${whole}.`;
  return `${numCollapsed} of ${isWhole ? formatCount(numRuns, "run") : `${numJudged} judged runs`} collapsed${whole}.`;
}

function describeRanking({ ranked: [first, ...others], numBelow }: Ranking, metric: Told["metric"]): string {
  if (!first) return "";
  const figure = writeSpreadOfSeeds(first, metric);
  const title = metric.title.toLowerCase();
  const [second] = others;
  if (!second) return `${first.name} comes to ${figure}, ${title}`;
  const lead = `${first.name} leads in ${title} with ${figure}, then ${second.name} with ${writeSpread(second, metric)}`;
  if (numBelow === undefined) return `${lead}; so few seeds cannot separate them`;
  const numAlike = others.length - numBelow;
  if (others.length === 1) return `${lead}; the two ${numAlike === 0 ? "can" : "cannot"} be told apart`;
  if (numAlike === 0) return `${lead}; it can be told apart from all others`;
  if (numBelow === 0) {
    return `${lead}; it cannot be told apart from any of the ${others.length} others`;
  }
  return `${lead}; it can be told apart from ${numBelow} of the ${others.length} others`;
}

/** A search keeps the best of many, whose interval does not know that it was chosen. */
function describeBest({ ranked }: Ranking, metric: Told["metric"]): string {
  const [first] = ranked;
  if (!first) return "";
  const figure = writeSpreadOfSeeds(first, metric);
  const best = `Of ${formatCount(ranked.length, "configuration")} that the search tried ${first.name} comes out best, ${metric.title.toLowerCase()} ${figure}`;
  return ranked.length === 1 ? best : `${best}; it was chosen by these seeds, others will say less of it`;
}
