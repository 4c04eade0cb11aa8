import type { Rng } from "#trainer/spec/rng.ts";
import { logDensity, makeParzen, samplePoint, toScale } from "./parzen.ts";
import { orderTrials } from "./order.ts";
import { isActive, listGroups, type Parameter, type Point, type Space, type Value } from "./space.ts";
import type { Trial } from "./trial.ts";

const numCandidates = 24;

/** How many of n trials count as good: a tenth, 25 at most. */
export function countGood(n: number): number {
  return Math.min(Math.ceil(0.1 * n), 25);
}

/**
 * The next point by a tree-structured Parzen estimator: of 24 candidates from the density of the good trials the one at
 * which it exceeds that of the others most. Parameters that are there together are modelled together, group by group,
 * on the trials that have them. Running trials count among the others (the constant liar): a second point is not drawn
 * where the first still waits for its result.
 */
export function drawByTpe(space: Space, trials: readonly Trial[], rng: Rng): Point {
  const ordered = orderTrials(trials);
  const good = new Set(ordered.slice(0, countGood(ordered.length)).map(({ number }) => number));
  const known = trials.filter(({ outcome }) => outcome?.kind !== "lost").toSorted((a, b) => a.number - b.number);
  const point: Record<string, Value> = {};
  for (const group of listGroups(space)) {
    const [first] = group;
    if (!first || !isActive(first[1], point)) continue;
    const withGroup = known.filter((trial) => group.every(([name]) => trial.point[name] !== undefined));
    const [below, above] = [true, false].map((isGood) => {
      return withGroup.filter(({ number }) => good.has(number) === isGood).map((trial) => toScales(group, trial.point));
    });
    Object.assign(point, fromScales(group, chooseCandidate(group, { below, above }, rng)));
  }
  return point;
}

type Group = readonly (readonly [string, Parameter])[];

function toScales(group: Group, point: Point): number[] {
  return group.map(([name, parameter]) => toScale(parameter, point[name] ?? null));
}

type Observed = { below?: number[][] | undefined; above?: number[][] | undefined };

function chooseCandidate(group: Group, { below = [], above = [] }: Observed, rng: Rng): number[] {
  const parameters = group.map(([, parameter]) => parameter);
  const good = makeParzen(parameters, below);
  const others = makeParzen(parameters, above);
  const candidates = Array.from({ length: numCandidates }, () => samplePoint(good, rng));
  const gains = candidates.map((x) => logDensity(good, x) - logDensity(others, x));
  return candidates[gains.indexOf(Math.max(...gains))] ?? [];
}

/** What is stored and trained is the same number, of six digits and within its bounds. */
function fromScales(group: Group, x: readonly number[]): Point {
  return Object.fromEntries(
    group.map(([name, parameter], d) => {
      const value = x[d] ?? NaN;
      if (parameter.kind === "choice") return [name, parameter.of[value] ?? null];
      const raw = Number((parameter.kind === "logUniform" ? Math.exp(value) : value).toPrecision(6));
      return [name, Math.min(parameter.high, Math.max(parameter.low, raw))];
    }),
  );
}
