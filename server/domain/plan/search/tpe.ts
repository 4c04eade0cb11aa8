import type { Rng } from "#trainer/spec/rng.ts";
import { logDensity, makeParzen, samplePoint, toScale } from "./parzen.ts";
import { orderTrials } from "./order.ts";
import { isActive, listGroups, type Parameter, type Point, type Space, type Value } from "./space.ts";
import type { Trial } from "./trial.ts";

const numCandidates = 24;

export function countGood(n: number): number {
  return Math.min(Math.ceil(0.1 * n), 25);
}

/**
 * Samples the next point by a tree-structured Parzen estimator. It samples 24 candidates from the density of the good
 * trials. The candidate with the highest ratio to the density of the other trials is returned. Parameters that are
 * active together are modelled jointly, on the trials that have them. Running trials count as bad (constant liar), so
 * that no two points are sampled close together before either has a result.
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

/** Rounds values to six digits within the bounds, so that the stored number is exactly the number used in training. */
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
