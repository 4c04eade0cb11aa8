import { conflictsOf } from "#trainer/spec/conflicts.ts";
import { split, type Rng } from "#trainer/spec/rng.ts";
import type { RunSpec } from "#trainer/spec/run.ts";
import { randomSpec } from "./randomSpec.ts";

export type Point = { seed: number; spec: RunSpec; isRefused: boolean };

const numAll = 200;
const numChosen = 40;
/** Default seed by which forty random specifications are chosen; constant, so that a failure can be repeated. */
const usualSeed = "20261122";

/** Kinds of a specification in each of the four dimensions of a method. */
export const kinds: readonly ((point: Point) => string)[] = [
  ({ spec }) => spec.method.aggregation,
  ({ spec }) => spec.method.clipping.kind,
  ({ spec }) => spec.method.advantage.kind,
  ({ spec }) => spec.method.sampling.kind,
];

/**
 * Chooses forty of 200 random run specifications: twenty that the trainer rejects as conflicting, and twenty to be
 * trained. The latter contain every kind of each dimension.
 * @param choice "all", or a seed of another choice, as `ARLARENA_POINTS=$(date +%j) npx vitest run
 * trainer/run/randomPoints.test.ts` each night
 */
export function choosePoints(choice?: string): { points: readonly Point[]; seed: string; all: readonly Point[] } {
  const all = Array.from({ length: numAll }, (_, seed): Point => {
    const spec = randomSpec(split(seed, "random point"));
    return { seed, spec, isRefused: conflictsOf(spec).length > 0 };
  });
  if (choice === "all") return { points: all, seed: choice, all };
  const seed = choice ?? usualSeed;
  const shuffled = shuffle(all, split(Number(seed), "choice of points"));
  const training = newKindsFirst(shuffled.filter(({ isRefused }) => !isRefused));
  const refused = shuffled.filter(({ isRefused }) => isRefused);
  return { points: [...training.slice(0, numChosen / 2), ...refused.slice(0, numChosen / 2)], seed, all };
}

/** Greedy order by kinds that earlier ones lack, so that the first few contain all kinds. */
function newKindsFirst(points: readonly Point[]): Point[] {
  const rest = points.map((point) => ({ point, names: kinds.map((kindOf, i) => `${i} ${kindOf(point)}`) }));
  const first: Point[] = [];
  const seen = new Set<string>();
  for (;;) {
    const numNew = rest.map(({ names }) => names.filter((name) => !seen.has(name)).length);
    const most = Math.max(0, ...numNew);
    const [next] = most === 0 ? [] : rest.splice(numNew.indexOf(most), 1);
    if (!next) return [...first, ...rest.map(({ point }) => point)];
    first.push(next.point);
    for (const name of next.names) seen.add(name);
  }
}

function shuffle<Item>(items: readonly Item[], rng: Rng): Item[] {
  return items
    .map((item) => ({ item, key: rng.next() }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ item }) => item);
}
