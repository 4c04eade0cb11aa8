import { describe, expect, it } from "vitest";
import { split } from "#trainer/spec/rng.ts";
import { parsePlan } from "../sweep/plan.ts";
import { listConfigurations } from "../sweep/expand/expand.ts";
import { scheduleOf } from "./searchPlan.ts";
import { countSeeds, stepSearch, type StepTrial } from "../sweep/searchStep.ts";
import { type Limit, limitAt } from "./schedule.ts";
import { latestStep, replayRungs } from "./replayRungs.ts";

const numSeeds = 5;
const numIterations = 40;
const planOf = (rule: string, { trials = 18, parallel = 3 } = {}) =>
  parsePlan(`
name: rungs
methods: [grpo]
environments: [{ id: sokoban }]
base: { budget: { iterations: ${numIterations} } }
seeds: [${Array.from({ length: numSeeds }, (_, i) => i).join(", ")}]
search:
  sampler: { kind: tpe, seed: 5, numStartup: 4 }
  space: { optimizer.learningRate: { kind: logUniform, low: 0.00001, high: 0.1 } }
  objective: { metric: rollout/successRate, goal: maximize }
  trials: ${trials}
  parallel: ${parallel}
  ${rule}
`);

/** Success grows with iterations, most at a learning rate of 1e-3; beyond 3e-2 the run collapses at iteration 7. */
function valueAt({ point }: Pick<StepTrial, "point">, seed: number, iteration: number): number {
  const rate = Math.log10(Number(point["optimizer.learningRate"]));
  return (
    (1 - 0.2 * (rate + 3) ** 2 + 0.05 * split(seed, "noise", Math.round(rate * 1e4)).next()) *
    (iteration / numIterations)
  );
}

const collapses = ({ point }: Pick<StepTrial, "point">) => Number(point["optimizer.learningRate"]) > 3e-2;

type Simulated = StepTrial & { seeds: number[] };

/**
 * Simulates the search for one method and environment. In each round, a random subset of the running trials trains a
 * few iterations. `wakesEvery`: the search decides only in every n-th round, as after an outage.
 */
function carryOut(
  rule: string,
  {
    orderSeed = 0,
    wakesEvery = 1,
    size,
    spentAt = Infinity,
    set,
  }: {
    orderSeed?: number;
    wakesEvery?: number;
    size?: { trials?: number; parallel?: number };
    /** First round in which the budget is exhausted. */
    spentAt?: number;
    /** A user sets the number of trials after `begun` trials have started. */
    set?: { begun: number; trials: number; space?: Limit["space"] };
  } = {},
) {
  const { search, ...plan } = planOf(rule, size);
  if (!search) throw new Error("no search");
  const schedule = scheduleOf(search, { numSeeds, numIterations });
  const [cell] = listConfigurations({ ...plan, search });
  if (!schedule || !cell) throw new Error("no rungs");
  const order = split(orderSeed, "order");
  let trials: Simulated[] = [];
  let numUsed = 0;
  const limits: Limit[] = [];
  for (let round = 0; round < 5000; round++) {
    if (set && trials.length >= set.begun && !limits.some(({ kind }) => kind === "widened")) {
      limits.push({
        step: latestStep(trials, limits) + 1,
        kind: "widened",
        trials: set.trials,
        space: set.space,
        reason: "set",
      });
    }
    if (round % wakesEvery === 0) {
      const spent = round >= spentAt ? "the budget is spent" : undefined;
      const step = stepSearch({ search, schedule, cell, limits, spent }, trials);
      limits.push(...step.limits);
      trials = apply(trials, step, (kind, rung) =>
        schedule.of === "seeds" ? countSeeds(schedule, { kind, rung }) : 1,
      );
      for (const drawn of step.drawn) {
        const isRefused = drawn.cell === null;
        const count = schedule.of === "seeds" ? (schedule.rungs[0] ?? 0) : 1;
        expect(isRefused).toBe(false);
        trials.push({
          ...drawn,
          reached: [],
          outcome: null,
          outcomeStep: null,
          runs: [],
          isRead: true,
          seeds: Array.from({ length: count }, (_, i) => i),
        });
      }
    }
    if (trials.length === limitAt(search.trials, limits) && trials.every(({ outcome }) => outcome !== null)) {
      return { trials, numUsed, search, schedule, limits };
    }
    trials = trials.map((trial) => ({
      ...trial,
      runs: trial.seeds.map((seed) => {
        const run = trial.runs.find(({ seedIndex }) => seedIndex === seed) ?? {
          seedIndex: seed,
          end: null,
          iteration: 0,
          curve: [],
        };
        if (run.end !== null) return run;
        if (trial.outcome !== null) return { ...run, end: "stopped" as const };
        if (order.next() < 0.3) return run;
        numUsed += 1;
        const iteration = run.iteration + 1;
        const curve = [...run.curve, { iteration, value: valueAt(trial, seed, iteration) }];
        const end =
          collapses(trial) && iteration === 7 ? "collapsed" : iteration === numIterations ? "completed" : null;
        return { ...run, iteration, curve, end };
      }),
    }));
  }
  throw new Error("the search does not end");
}

function apply(
  trials: readonly Simulated[],
  step: ReturnType<typeof stepSearch>,
  seedsOf: (kind: "promoted" | "stopped" | "letGoOn", rung: number) => number,
): Simulated[] {
  return trials.map((trial) => {
    const reached = [
      ...trial.reached,
      ...step.reached
        .filter(({ number }) => number === trial.number)
        .map(({ rung, losses, step: at }) => ({ rung, losses, step: at, verdict: null })),
    ];
    const verdicts = step.verdicts.filter(({ number }) => number === trial.number);
    const found = step.outcomes.find(({ number }) => number === trial.number);
    const { outcome, step: outcomeStep } = found ?? { outcome: trial.outcome, step: trial.outcomeStep };
    const numNow = Math.max(
      trial.seeds.length,
      ...verdicts.filter(({ kind }) => kind !== "stopped").map(({ kind, rung }) => seedsOf(kind, rung)),
    );
    const isOfSeeds = trial.seeds.length > 0 && numNow > trial.seeds.length;
    return {
      ...trial,
      outcome,
      outcomeStep,
      reached: reached.map((one) => {
        const verdict = verdicts.find(({ rung }) => rung === one.rung);
        return verdict ? { ...one, verdict } : one;
      }),
      seeds: isOfSeeds ? Array.from({ length: numNow }, (_, i) => i) : trial.seeds,
    };
  });
}

const rules = {
  "asha of iterations": "halving: { kind: asha, of: iterations, least: 4, factor: 3, letGoOnShare: 0 }",
  "halving of iterations": "halving: { kind: halving, of: iterations, least: 4, factor: 3, letGoOnShare: 0 }",
  "asha of seeds": "halving: { kind: asha, of: seeds, least: 1, factor: 2, letGoOnShare: 0 }",
  "halving of seeds": "halving: { kind: halving, of: seeds, least: 1, factor: 2, letGoOnShare: 0 }",
  "race by Friedman's test": "racing: { kind: friedman, leastSeeds: 3, letGoOnShare: 0 }",
  "race by t-tests": "racing: { kind: t, leastSeeds: 3, letGoOnShare: 0 }",
};

describe.each(Object.entries(rules))("%s", (_, rule) => {
  it("comes out the same again at every decision, in any order of results, with outages and with controls", () => {
    for (const [orderSeed, wakesEvery, share] of [
      [0, 1, 0],
      [1, 3, 0.5],
      [2, 17, 1],
    ] as const) {
      const { trials, search, schedule } = carryOut(rule.replace("letGoOnShare: 0", `letGoOnShare: ${share}`), {
        orderSeed,
        wakesEvery,
      });
      expect(replayRungs(search, schedule, { trials, limits: [] })).toEqual([]);
      expect(trials.flatMap(({ reached }) => reached.filter(({ verdict }) => verdict))).not.toEqual([]);
    }
  });

  it("tells a forged verdict and a forged result", () => {
    const { trials, search, schedule } = carryOut(rule);
    const at = trials.findIndex(({ reached }) => reached[0]?.verdict?.kind === "promoted");
    const forge = (change: (one: StepTrial["reached"][number]) => object) =>
      trials.map((trial, i) =>
        i === at
          ? { ...trial, reached: trial.reached.map((one, rung) => (rung === 0 ? { ...one, ...change(one) } : one)) }
          : trial,
      );
    const stopped = forge(({ verdict }) => ({ verdict: verdict && { ...verdict, kind: "stopped" as const } }));
    expect(replayRungs(search, schedule, { trials: stopped, limits: [] })).not.toEqual([]);
    expect(
      replayRungs(search, schedule, { trials: forge(({ losses }) => ({ losses: losses.map(() => 9) })), limits: [] }),
    ).not.toEqual([]);
  });

  it("spends far less than every trial whole, and ends with one near the best", () => {
    const { trials, numUsed } = carryOut(rule);
    const whole = trials.length * numIterations * (rule.includes("iterations") ? 1 : numSeeds);
    expect(numUsed).toBeLessThan(0.8 * whole);
    const measured = trials.filter(({ reached, outcome }) => outcome?.kind === "measured" && reached.length > 1);
    const distance = (one: StepTrial) => Math.abs(Math.log10(Number(one.point["optimizer.learningRate"])) + 3);
    expect(Math.min(...measured.map(distance))).toBeLessThan(0.5);
  });

  it("lets all that it would stop go on as control where their share is 1, and compares them with nobody later", () => {
    const { trials, schedule } = carryOut(rule.replace("letGoOnShare: 0", "letGoOnShare: 1"));
    const verdicts = trials.flatMap(({ number, reached }) => reached.map((one) => ({ number, ...one })));
    const controls = verdicts.filter(({ verdict }) => verdict?.kind === "letGoOn").map(({ number }) => number);
    expect(controls.length).toBeGreaterThan(0);
    for (const { rung, verdict } of verdicts) {
      for (const number of controls) {
        const from = verdicts.find((one) => one.number === number && one.verdict?.kind === "letGoOn")?.rung ?? NaN;
        if (rung > from) expect(verdict?.known ?? []).not.toContain(number);
      }
    }
    const ends = trials.filter(({ number }) => controls.includes(number));
    expect(ends.map(({ reached }) => reached.at(-1)?.rung)).toEqual(ends.map(() => schedule.rungs.length - 1));
  });
});

describe.each(Object.entries(rules))("%s with another end than planned", (_, rule) => {
  const size = { trials: 12 };

  it("ends when its budget is spent: what has begun is judged, and comes out the same again", () => {
    const { trials, search, schedule, limits } = carryOut(rule, { size, spentAt: 3 });
    expect(limits).toMatchObject([{ kind: "ended", reason: "the budget is spent" }]);
    expect(trials.length).toBe(limits[0]?.trials);
    expect(trials.length).toBeLessThan(12);
    expect(replayRungs(search, schedule, { trials, limits })).toEqual([]);
    expect(replayRungs(search, schedule, { trials, limits: [] })).toEqual(
      // Only for rungs counted in seeds do results depend on how many trials start together.
      rule.includes("of: iterations") ? [] : expect.arrayContaining([expect.anything()]),
    );
  });

  it("draws from a wider space once it is widened, and replays each draw from the space of its time", () => {
    const space = { "optimizer.learningRate": { kind: "logUniform" as const, low: 1e-9, high: 0.1 } };
    const { trials, search, schedule, limits } = carryOut(rule, { size, set: { begun: 8, trials: 17, space } });
    expect(trials.some(({ point }) => Number(point["optimizer.learningRate"]) < 1e-5)).toBe(true);
    expect(replayRungs(search, schedule, { trials, limits })).toEqual([]);
    expect(
      replayRungs({ ...search, ...space }, schedule, {
        trials,
        limits: limits.map((one) => ({ ...one, space: undefined })),
      }),
    ).not.toEqual([]);
  });

  it("goes on with more trials, without judging again the trials that were stopped", () => {
    const { trials, search, schedule, limits } = carryOut(rule, { size, set: { begun: 12, trials: 17 } });
    expect(trials).toHaveLength(17);
    expect(replayRungs(search, schedule, { trials, limits })).toEqual([]);
    const numVerdicts = (trial: StepTrial) => trial.reached.filter(({ verdict }) => verdict).length;
    for (const trial of trials) expect(numVerdicts(trial)).toBeLessThanOrEqual(schedule.rungs.length - 1);
  });
});

it("a configuration gets no other trial once one that was trained whole varies little", () => {
  const rule = `until: { spread: 0.07 }\n  ${rules["asha of seeds"]}`;
  const { trials, limits, search, schedule } = carryOut(rule, { size: { trials: 40 } });
  expect(limits).toMatchObject([{ kind: "ended", reason: expect.stringMatching(/^trial \d+ varies by 0\.0\d+ over/) }]);
  expect(trials.length).toBeLessThan(40);
  expect(replayRungs(search, schedule, { trials, limits })).toEqual([]);
});

it("full rungs and races decide the same whatever the order in which results come, where points do not depend on results", () => {
  for (const rule of [rules["halving of seeds"], rules["race by Friedman's test"]]) {
    const size = { trials: 12, parallel: 12 };
    const verdictsOf = (orderSeed: number) =>
      carryOut(rule, { orderSeed, size }).trials.map(({ point, reached }) => [
        point,
        reached.map(({ losses, verdict }) => [losses, verdict?.kind, verdict?.known, verdict?.reason]),
      ]);
    expect(verdictsOf(1)).toEqual(verdictsOf(2));
  }
});
