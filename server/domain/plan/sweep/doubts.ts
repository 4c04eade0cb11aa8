import { detectableDifference, evidenceRules } from "#packages/statistics";
import { formatCount } from "#packages/base";
import { spendingOf } from "#trainer/spec/budget.ts";
import { correctionOf, isCorrected } from "#trainer/spec/correction.ts";
import { environmentsIn, maxTurnsOf } from "#trainer/spec/environmentParts.ts";
import { expertTokens, rolloutShapeOf } from "#trainer/spec/rowTokens.ts";
import { advantageTraits, clippingTraits } from "#trainer/spec/traits.ts";
import type { Cell } from "./cell.ts";

type Spec = Cell["spec"];

/** A warning about settings that are valid but rarely intended, with the remedy. */
export type Doubt = {
  text: string;
  /** True if the person must confirm it before the launch; the others are notes. */
  isAsked: boolean;
};

type Planned = {
  cells: readonly Pick<Cell, "spec">[];
  seeds: readonly number[];
  search?: object | undefined;
};

/** Lists the doubts about a plan's cells. Those that only a trainer's command shows are in `commandDoubts.ts`. */
export function listDoubts({ cells, seeds, search }: Planned): Doubt[] {
  const specs = cells.map(({ spec }) => spec);
  const asked = rules.flatMap((rule) => {
    const found = specs.flatMap((spec) => rule(spec) ?? []);
    const [first] = found;
    return first === undefined ? [] : [{ text: `${nameShare(found.length, cells.length)} ${first}`, isAsked: true }];
  });
  const most = Math.max(0, ...specs.map(({ budget }) => budget.iterations));
  const long = `A run trains for ${formatCount(most, "iteration")}, which may take weeks: lower budget.iterations if that is not meant.`;
  return [
    ...asked,
    ...(most >= manyIterations ? [{ text: long, isAsked: true }] : []),
    ...(search === undefined && cells.length > 1 ? doubtSeeds(seeds.length) : []),
  ];
}

/** Number of iterations above which a budget is questioned: at one second per iteration, it takes twelve days. */
const manyIterations = 1_000_000;

function nameShare(number: number, all: number): string {
  return number === all
    ? "Every configuration has"
    : `${number} of ${all} configurations ${number === 1 ? "has" : "have"}`;
}

/** Each rule completes a sentence that begins with the configurations that have it; undefined if it does not. */
const rules: readonly ((spec: Spec) => string | undefined)[] = [
  ({ optimizer }) =>
    optimizer.learningRate === 0
      ? "learning rate 0: the policy never changes; raise optimizer.learningRate."
      : undefined,
  ({ budget }) =>
    budget.split === null && budget.iterations === 0
      ? "0 iterations: the policy is evaluated once and not trained; raise budget.iterations."
      : undefined,
  doubtClipping,
  doubtKl,
  doubtGroups,
  doubtPenalty,
  doubtResponses,
  doubtWarmup,
];

/**
 * With one update per iteration, π_θ = π_old and the ratio is 1 everywhere. Old log-probabilities of a stale sampler are
 * recomputed, so a lag changes nothing. External trainers' updates are read from their commands.
 */
function doubtClipping({ trainer, method, rollout, environment, update }: Spec): string | undefined {
  const isReplaced = isCorrected(correctionOf(method, update));
  if (trainer !== undefined || clippingTraits[method.clipping.kind].clips === "never" || isReplaced) return undefined;
  const turns = rolloutShapeOf({ environment, rollout }) === "windowed" ? maxTurnsOf(environment) : 1;
  const maxRows = rollout.numGroups * rollout.groupSize * turns;
  if (update.epochs > 1 || update.minibatchRows < maxRows) return undefined;
  return oneUpdate(`update.minibatchRows below ${maxRows}`, "update.epochs above 1");
}

/** Sentence about a clip that has no effect, with the settings that give it one. */
export function oneUpdate(smaller: string, more: string): string {
  return `one update per iteration: the ratio is always 1 and clipping never acts; set ${smaller}, or ${more}.`;
}

function doubtKl({ update, initialisation }: Spec): string | undefined {
  if (update.klCoef > 0) return undefined;
  if (update.klTarget !== null) {
    return "KL coefficient 0 and a KL target: the target multiplies the coefficient, which stays 0; raise update.klCoef or remove update.klTarget.";
  }
  if (!("reference" in initialisation) || initialisation.reference !== "origin") return undefined;
  return "KL coefficient 0 and the origin's reference policy, which takes memory without any effect: raise update.klCoef or remove initialisation.reference.";
}

function doubtGroups({ method: { advantage }, rollout }: Spec): string | undefined {
  if (rollout.groupSize > 1 || advantageTraits[advantage.kind].hasCritic || advantage.kind === "remax")
    return undefined;
  if (advantage.kind === "reinforcePlusPlus" && advantage.baseline === "none") return undefined;
  return "groups of 1 episode: the advantage compares the episodes of a group and is 0; raise rollout.groupSize to at least 2.";
}

/** Only an environment of the studio knows which actions are valid. 0.1 is the default, which nobody chose. */
function doubtPenalty({ environment, reward }: Spec): string | undefined {
  if (environment.id !== "custom" || reward.invalidActionPenalty === 0 || reward.invalidActionPenalty === 0.1) {
    return undefined;
  }
  return `an invalid-action penalty of ${reward.invalidActionPenalty} in a custom task, which does not say what is valid: subtract it in the task's reward function and remove reward.invalidActionPenalty.`;
}

function doubtResponses({ environment, rollout: { maxResponseTokens } }: Spec): string | undefined {
  const needed = Math.max(0, ...environmentsIn(environment).map(({ id }) => (id === "custom" ? 0 : expertTokens[id])));
  if (maxResponseTokens >= needed) return undefined;
  return `responses of at most ${maxResponseTokens} tokens: the expert needs up to ${needed}; raise rollout.maxResponseTokens to at least ${needed}.`;
}

function doubtWarmup(spec: Spec): string | undefined {
  const { iterations } = spendingOf(spec);
  if (iterations === 0) return undefined;
  const { sampling } = spec.method;
  const cold = sampling.kind === "dynamic" ? sampling.coldStartIterations : 0;
  if (cold >= iterations) {
    return `dynamic sampling that starts after iteration ${cold} of ${iterations}: it never filters; lower sampling.coldStartIterations.`;
  }
  const { lag } = spec.rollout;
  if (lag?.kind === "constant" && lag.k >= iterations) {
    return `a sampler lag of ${lag.k} in ${iterations} iterations: every episode is sampled by the initial policy; lower rollout.lag.k or raise budget.iterations.`;
  }
  return undefined;
}

/** Standard deviation of final success between seeds, in points: median 7, root mean square 12 in the studies of Table 3. */
const seedSpread = 10;
const wanted = 20;

function doubtSeeds(numSeeds: number): Doubt[] {
  const detects = (n: number): number => Math.round(detectableDifference(n) * seedSpread);
  if (numSeeds > 1 && detects(numSeeds) <= wanted) return [];
  let enough = evidenceRules.forIntervals;
  while (detects(enough) > wanted) enough += 1;
  const now =
    numSeeds === 1
      ? "1 seed cannot show any difference"
      : `${numSeeds} seeds can only show differences of ${detects(numSeeds)} points or more`;
  const text = `${now} (power 80 %, ${seedSpread} points standard deviation between seeds): take ${enough} seeds for differences of ${detects(enough)} points.`;
  return [{ text, isAsked: false }];
}
