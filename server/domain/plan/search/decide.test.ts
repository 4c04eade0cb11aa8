import { describe, expect, it } from "vitest";
import { split } from "#trainer/spec/rng.ts";
import { countPoints, decideOtherwise, decideTrial, Search } from "./decide.ts";
import { isActive } from "./space.ts";
import type { Outcome, Trial } from "./trial.ts";

const space = {
  method: { kind: "choice", of: ["grpo", "sapo"] },
  rate: { kind: "logUniform", low: 1e-5, high: 1e-1 },
  clip: { kind: "uniform", low: 0.05, high: 0.6, step: 0.05, when: { method: ["grpo"] } },
  temperature: { kind: "uniform", low: 0.5, high: 2, when: { method: ["sapo"] } },
  epochs: { kind: "integer", low: 1, high: 4 },
};
const searchBy = (kind: string) => Search.parse({ sampler: { kind, seed: 7 }, space });

/** Learning rates near 1e-3 with sapo are good; learning rates above 3e-2 collapse. */
function outcomeOf({ point }: Pick<Trial, "point">): Outcome {
  const rate = Number(point["rate"]);
  if (rate > 3e-2) return { kind: "collapsed", iteration: 10 };
  return { kind: "measured", losses: [Math.abs(Math.log10(rate) + 3) + (point["method"] === "sapo" ? 0 : 1)] };
}

/**
 * Simulates a search with three workers whose trials finish in random order. Returns each decision with the results
 * known when it was made.
 */
function carryOut(kind: string, numTrials: number, orderSeed = 0) {
  const order = split(orderSeed, "order");
  const trials: Trial[] = [];
  const decisions: ReturnType<typeof decideTrial>[] = [];
  while (decisions.length < numTrials) {
    const running = trials.filter(({ outcome }) => outcome === undefined);
    if (running.length === 3) {
      const over = running[order.int(3)];
      if (over) trials[over.number] = { ...over, outcome: outcomeOf(over) };
    }
    const decision = decideTrial(searchBy(kind), trials);
    decisions.push(decision);
    trials.push({ number: decision.number, point: decision.point });
  }
  return { trials, decisions };
}

describe.each(["random", "sobol", "tpe"])("a search by %s", (kind) => {
  it("decides the same again at every prefix, from the stored row alone and in any order of the trials", () => {
    const { trials, decisions } = carryOut(kind, 30);
    const order = split(5, "shuffle");
    for (const decision of decisions) {
      const known = trials
        .filter(({ number }) => number < decision.number)
        .map(({ number, point }) => {
          const trial = { number, point };
          return decision.known.includes(number) ? { ...trial, outcome: outcomeOf(trial) } : trial;
        });
      const shuffled = known.map((trial) => ({ trial, key: order.next() })).toSorted((a, b) => a.key - b.key);
      expect(
        decideTrial(
          searchBy(kind),
          shuffled.map(({ trial }) => trial),
        ),
      ).toEqual(decision);
    }
  });

  it("sets each parameter that is there, within its bounds and on its step, and no other", () => {
    const { space: parsed } = searchBy(kind);
    for (const { point } of carryOut(kind, 30).decisions) {
      for (const [name, parameter] of Object.entries(parsed)) {
        expect(point[name] !== undefined, name).toBe(isActive(parameter, point));
      }
      const { rate, clip, epochs } = point;
      expect(Number(rate)).toBeGreaterThanOrEqual(1e-5);
      expect(Number(rate)).toBeLessThanOrEqual(1e-1);
      expect([1, 2, 3, 4]).toContain(epochs);
      if (clip !== undefined) expect(Number(clip) / 0.05).toBeCloseTo(Math.round(Number(clip) / 0.05), 6);
    }
  });
});

it("draws by TPE where results are good and away from collapses, far oftener than chance", () => {
  const late = (kind: string) =>
    [0, 1].flatMap((seed) => carryOut(kind, 50, seed).decisions.slice(25)).map(({ point }) => outcomeOf({ point }));
  const share = (outcomes: readonly Outcome[], is: (outcome: Outcome) => boolean) =>
    outcomes.filter(is).length / outcomes.length;
  const isGood = (outcome: Outcome) => outcome.kind === "measured" && (outcome.losses[0] ?? NaN) < 0.5;
  expect(share(late("tpe"), isGood)).toBeGreaterThan(2 * share(late("random"), isGood));
});

it("keeps to a constraint, and searches a front of two objectives", () => {
  const search = Search.parse({
    sampler: { kind: "tpe", seed: 1 },
    space: { x: { kind: "uniform", low: 0, high: 1 }, y: { kind: "uniform", low: 0, high: 1 } },
  });
  const trials: Trial[] = [];
  for (let i = 0; i < 50; i++) {
    const { number, point } = decideTrial(search, trials);
    const [x, y] = [Number(point["x"]), Number(point["y"])];
    const violation = x < 0.5 ? 0 : x - 0.5;
    trials.push({ number, point, outcome: { kind: "measured", losses: [x + y, (x - 1) ** 2 + y], violation } });
  }
  const late = trials.slice(20).map(({ point }) => point);
  expect(late.filter(({ x }) => Number(x) <= 0.5).length).toBeGreaterThan(21);
  expect(late.filter(({ y }) => Number(y) < 0.25).length).toBeGreaterThan(15);
});

it("repeats a stored decision whatever words gave its reason", () => {
  const search = Search.parse({ sampler: { kind: "random" }, space });
  const kept = { ...decideTrial(search, []), reason: "in other words" };
  expect(decideOtherwise(search, [], kept)).toBeUndefined();
  const other = { ...kept, point: { ...kept.point, x: 0.123 } };
  expect(decideOtherwise(search, [], other)?.point).toEqual(kept.point);
});

it("goes through a grid in turn, the last parameter fastest, after the point that is to come first", () => {
  const grid = Search.parse({
    sampler: { kind: "grid" },
    space: {
      rate: { kind: "choice", of: [0.1, 0.2] },
      clip: { kind: "choice", of: [1, 2, 3], when: { rate: [0.2] } },
    },
  });
  expect(countPoints(grid)).toBe(6);
  const first = { rate: 0.1 };
  const decide = (number: number) =>
    decideTrial(
      { ...grid, first },
      Array.from({ length: number }, (_, i) => ({ number: i, point: {} })),
    );
  expect([0, 1, 2, 4, 6].map((number) => decide(number).point)).toEqual([
    first,
    { rate: 0.1 },
    { rate: 0.1 },
    { rate: 0.2, clip: 1 },
    { rate: 0.2, clip: 3 },
  ]);
  expect([decide(0).reason, decide(6).reason]).toEqual(["the configuration's own settings", "combination 6 of 6"]);
  const { error } = Search.safeParse({ sampler: { kind: "grid" }, space });
  expect(error?.issues[0]).toMatchObject({
    path: ["space", "rate"],
    message: "is logUniform, but a grid needs parameters of kind choice",
  });
});

it.each([
  [{ x: { kind: "uniform", low: 1, high: 1 } }, "low must be below high"],
  [{ x: { kind: "logUniform", low: 0, high: 1 } }, "must satisfy 0 < low < high"],
  [{ x: { kind: "integer", low: 0, high: 3, when: { y: [1] } } }, '"y" is not a parameter listed before this one'],
  [
    { y: { kind: "integer", low: 0, high: 3 }, x: { kind: "choice", of: [1], when: { y: [1] } } },
    "a condition needs a parameter of kind choice",
  ],
  [
    { y: { kind: "choice", of: [1, 2] }, x: { kind: "choice", of: [1], when: { y: [3] } } },
    '"y" is never 3: choose one of 1, 2',
  ],
  [{ x: { kind: "uniform", low: 0.1, high: 1, step: 0.3 } }, "low and high must be multiples of step"],
  [{}, "has no parameter"],
])("refuses the space %j: %s", (bad, message) => {
  const { error } = Search.safeParse({ sampler: { kind: "random" }, space: bad });
  expect(error?.issues.map((issue) => issue.message).join()).toContain(message);
});
