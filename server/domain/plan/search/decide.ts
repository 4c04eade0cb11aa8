import { z } from "zod";
import { split } from "#trainer/spec/rng.ts";
import { directionsOf, drawScramble, maxSobolDimensions, sobolCoordinate } from "./sobol.ts";
import { makeSeed } from "./distribution.ts";
import { byName, type Point, pointAt, Space } from "./space.ts";
import { drawByTpe } from "./tpe.ts";
import type { Trial } from "./trial.ts";

const seed = makeSeed()
  .meta({ title: "Sampler's seed", description: "Seed of the sampler's random numbers." })
  .default(0);

const numStartup = z
  .int()
  .min(1)
  .max(1000)
  .meta({
    title: "Startup trials",
    description: "Number of trials sampled at random before the sampler fits its surrogate model.",
  })
  .default(10);

export const Sampler = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("random"), seed }),
  /** Scrambled Sobol sequence, which covers the space more evenly than random points. */
  z.strictObject({ kind: z.literal("sobol"), seed }),
  /** Tree-structured Parzen estimator. `numStartup` trials are random, before the first model is fitted. */
  z.strictObject({ kind: z.literal("tpe"), seed, numStartup }),
  /** Grid of all combinations of choices; the last parameter varies fastest. */
  z.strictObject({ kind: z.literal("grid") }),
  /** Points that another program samples and adds through the API. */
  z.strictObject({ kind: z.literal("external") }),
]);
export type Sampler = z.infer<typeof Sampler>;

export const Search = z.strictObject({ sampler: Sampler, space: Space }).superRefine(({ sampler, space }, context) => {
  const numParameters = Object.keys(space).length;
  if (numParameters === 0) context.addIssue({ code: "custom", path: ["space"], message: "has no parameter" });
  if (sampler.kind === "sobol" && numParameters > maxSobolDimensions) {
    const message = `has ${numParameters} parameters, but a Sobol sequence supports at most ${maxSobolDimensions}`;
    context.addIssue({ code: "custom", path: ["space"], message });
  }
  if (sampler.kind !== "grid") return;
  for (const [name, { kind }] of Object.entries(space)) {
    if (kind === "choice") continue;
    const message = `is ${kind}, but a grid needs parameters of kind choice`;
    context.addIssue({ code: "custom", path: ["space", name], message });
  }
});
/** Definition of a search. `first`: point of a fixed first trial. `told`: trials from outside, numbered below 0. */
export type Search = z.infer<typeof Search> & { first?: Point | undefined; told?: readonly Trial[] };

/** Number of combinations in a grid; Infinity for other samplers. */
export function countPoints({ sampler, space }: Search): number {
  if (sampler.kind !== "grid") return Infinity;
  return Object.values(space).reduce((product, one) => product * (one.kind === "choice" ? one.of.length : 1), 1);
}

/** One decision of a sampler: trials finished (`known`) and running when it was made, the sampled point, the reason. */
export type Decision = { number: number; known: number[]; running: number[]; point: Point; reason: string };

/**
 * Decides the next trial. Equal trials always lead to the same decision: results are ordered by number, and the random
 * state depends only on the seed and the number.
 */
export function decideTrial(search: Search, trials: readonly Trial[]): Decision {
  const number = trials.reduce((most, trial) => Math.max(most, trial.number + 1), 0);
  const numbersOf = (isOver: boolean) =>
    trials
      .filter(({ outcome }) => (outcome !== undefined) === isOver)
      .map((trial) => trial.number)
      .toSorted((a, b) => a - b);
  const drawn = drawPoint(search, [...(search.told ?? []), ...trials], number);
  return { number, known: numbersOf(true), running: numbersOf(false), ...drawn };
}

export function isDrawnElsewhere({ sampler, first }: Search, number: number): boolean {
  return sampler.kind === "external" && (first === undefined || number > 0);
}

/** Repeats a stored decision from the results known at its time. Returns the new decision only if it differs. */
export function decideOtherwise(search: Search, trials: readonly Trial[], kept: Decision): Decision | undefined {
  if (isDrawnElsewhere(search, kept.number)) return undefined;
  const again = decideTrial(search, trials);
  return textOf(again) === textOf(kept) ? undefined : again;
}

/** The reason is left out: its wording may change, and its numbers follow from the known trials. */
function textOf({ number, known, running, point }: Decision): string {
  return JSON.stringify([number, known, running, byName(point)]);
}

function drawPoint({ sampler, space, first }: Search, trials: readonly Trial[], number: number) {
  if (first !== undefined && number === 0) return { point: first, reason: "the configuration's own settings" };
  if (sampler.kind === "external") throw new Error("another program samples the trials of this search");
  if (sampler.kind === "grid") {
    const index = first === undefined ? number : number - 1;
    return { point: gridPoint(space, index), reason: `combination ${index + 1} of ${countPoints({ sampler, space })}` };
  }
  const rng = split(sampler.seed, "search", number);
  const atRandom = () => pointAt(space, () => rng.next());
  switch (sampler.kind) {
    case "random":
      return { point: atRandom(), reason: "drawn at random" };
    case "sobol":
      return { point: drawBySobol(space, sampler.seed, number), reason: `point ${number} of the Sobol sequence` };
    case "tpe": {
      const numTold = trials.filter(({ outcome }) => outcome !== undefined && outcome.kind !== "lost").length;
      if (numTold < sampler.numStartup) {
        const reason = `drawn at random: TPE needs ${sampler.numStartup} results first and has ${numTold}`;
        return { point: atRandom(), reason };
      }
      return { point: drawByTpe(space, trials, rng), reason: `where good trials are dense, from ${numTold} results` };
    }
  }
}

function gridPoint(space: Space, index: number): Point {
  const units = new Map<string, number>();
  let left = index;
  for (const [name, parameter] of Object.entries(space).toReversed()) {
    const count = parameter.kind === "choice" ? parameter.of.length : 1;
    units.set(name, ((left % count) + 0.5) / count);
    left = Math.floor(left / count);
  }
  return pointAt(space, (name) => units.get(name) ?? NaN);
}

function drawBySobol(space: Space, sobolSeed: number, number: number): Point {
  return pointAt(space, (_, dimension) =>
    sobolCoordinate(number, directionsOf(dimension), drawScramble(sobolSeed, dimension)),
  );
}
