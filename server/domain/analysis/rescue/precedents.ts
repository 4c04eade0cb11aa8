import { writeCollapses } from "#packages/detector";
import { formatCount, lowerFirst, tellP } from "#packages/base";
import { evidenceRules, holm, tQuantile } from "#packages/statistics";
import {
  type CollapseEffect,
  compareCollapses,
  describeAwaited,
  isAtRisk,
  isCompared,
  type JudgedBranch,
  listArms,
  recommendationP,
} from "./branchOutcome.ts";
import { nothing } from "./rescueArms.ts";

/** Branch of a similar run, begun near its first alarm. */
export type Precedent = JudgedBranch & {
  sweepId: string;
  /** Settings in which the branch's origin differs from the run that asks: "budget.iterations 60 instead of 40". */
  differences: readonly string[];
};

const level = 0.05;
const power = 0.8;
const maxOrigins = 100;

type Tried = { arm: string; effect: CollapseEffect; p: number };

/**
 * Tells, for an alert, which change prevents collapses of similar runs, and in which settings these differ; empty if
 * there are none. A change is named only if its difference to
 * unchanged branches is significant over several runs, after Holm's correction for the number of changes.
 */
export function citePrecedents(precedents: readonly Precedent[]): string {
  if (precedents.length === 0) return "";
  const differences = [...new Set(precedents.flatMap((one) => one.differences))].toSorted();
  const differ = differences.length > 0 ? ` These runs differ from this one: ${differences.join("; ")}.` : "";
  return `${describeEvidence(precedents)}${differ}`;
}

function describeEvidence(precedents: readonly Precedent[]): string {
  const compared = precedents.filter(isCompared);
  const numAwaited = compared.filter(({ outcome }) => outcome === "not judged yet").length;
  if (numAwaited > 0) {
    return `No change can be recommended yet: ${describeAwaited(numAwaited, compared.length)}.`;
  }
  const effects = listArms(compared)
    .filter((arm) => arm !== nothing)
    .map((arm) => ({ arm, effect: compareCollapses(compared, arm) }))
    .filter(({ effect }) => effect.numPairs > 0);
  if (effects.length === 0) {
    return "No change can be recommended yet, because too few branches of similar runs have tried one.";
  }
  const adjusted = holm(effects.map(({ effect }) => recommendationP(effect)));
  const tried = effects.map((one, i): Tried => ({ ...one, p: adjusted[i] ?? NaN }));
  const shown = tried.filter(({ p, effect }) => p < level && effect.difference < 0);
  const [best] = shown.toSorted((a, b) => a.effect.difference - b.effect.difference);
  return best ? describeShown(best, tried.length) : describeUndecided(tried, compared);
}

function describeShown({ arm, p, effect }: Tried, numChanges: number): string {
  const corrected = numChanges > 1 ? `, corrected for ${numChanges} changes` : "";
  return `In ${formatCount(effect.numOrigins, "similar run")} that were branched at the alarm, ${lowerFirst(arm)} prevented collapses. Branches that collapsed: ${writeCollapses(effect.changed)}; without a change, ${writeCollapses(effect.unchanged)} (${tellP(p)}${corrected}).`;
}

/** Says that no change is shown to help, and how many runs would decide it. */
function describeUndecided(tried: readonly Tried[], compared: readonly Precedent[]): string {
  const numBranches = compared.filter(isAtRisk).length;
  const numOrigins = Math.max(...tried.map(({ effect }) => effect.numOrigins));
  const changes = formatCount(tried.length, "change");
  const found = `No change is shown to prevent a collapse: ${changes} ${tried.length === 1 ? "was" : "were"} tried in ${formatCount(numBranches, "branch", "branches")} of similar runs`;
  const better = tried.filter(({ effect }) => effect.difference < 0);
  if (better.length === 0) return `${found}, and no change had fewer collapses than unchanged branches.`;
  const untested = better.every(({ p }) => Number.isNaN(p));
  if (untested) {
    const numMissing = evidenceRules.forIntervals - numOrigins;
    return `${found}. A test needs branches of ${formatCount(numMissing, "more such run")}, begun before its collapse.`;
  }
  const needed = Math.min(...better.map(({ effect }) => countNeeded(effect, tried.length)));
  const more = needed > maxOrigins ? `more than ${maxOrigins}` : `about ${Math.max(1, needed - numOrigins)}`;
  return `${found}, and no difference to unchanged branches is significant after correction. If the clearest one is real, branches of ${more} more such runs would show it.`;
}

/** Number of origins at which a difference of this size is significant with a power of 80 %. */
function countNeeded({ difference, error, exactP, numUnits, numOrigins }: CollapseEffect, numChanges: number): number {
  const alpha = level / numChanges;
  const spread = error * Math.sqrt(numUnits);
  // Without variance between origins the exact test decides; its p-value shrinks geometrically with their number.
  if (Number.isNaN(spread)) return Math.ceil((numOrigins * Math.log(alpha)) / Math.log(exactP));
  for (let n: number = evidenceRules.forIntervals; n <= maxOrigins; n++) {
    const reach = tQuantile(1 - alpha / 2, n - 1) + tQuantile(power, n - 1);
    if ((Math.abs(difference) * Math.sqrt(n)) / spread >= reach) return n;
  }
  return Infinity;
}
