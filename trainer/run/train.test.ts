import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { conflictsOf } from "#trainer/spec/conflicts.ts";
import { methodNames, methodOf } from "#trainer/spec/method.ts";
import { isMetricKey } from "#trainer/spec/metric.ts";
import { RunSpec } from "#trainer/spec/run.ts";
import { split, type Rng } from "#trainer/spec/rng.ts";
import { makeRecorder, type Line } from "./testing/recorder.ts";
import { train } from "./train.ts";

const folder = mkdtempSync(join(tmpdir(), "arlarena-train-"));
afterAll(() => rmSync(folder, { recursive: true }));

type Partly = Readonly<Record<string, unknown>>;

function tinySpec(method: unknown, iterations = 1, more: Partly = {}): RunSpec {
  return RunSpec.parse({
    v: 1,
    seed: 7,
    environment: { id: "sokoban", maxTurns: 3 },
    method,
    initialisation: { kind: "demonstrations", numEpisodes: 20, epochs: 2 },
    rollout: { numGroups: 2, groupSize: 3, historyLength: 1, maxResponseTokens: 12 },
    update: { minibatchRows: 8 },
    evaluation: { every: 1, numEpisodes: 4 },
    budget: { iterations },
    ...more,
  });
}

async function run(spec: RunSpec): Promise<Line[]> {
  const { run: context, lines } = makeRecorder(folder);
  expect(await train(spec, context)).toMatchObject({ exit: "completed" });
  return lines;
}

/** Everything but what the clock and the machine decide. */
function reproducible(lines: readonly Line[]) {
  return lines.map((line) => ({
    ...line,
    values: Object.fromEntries(Object.entries(line.values).filter(([key]) => !/^(time|throughput|memory)\//.test(key))),
  }));
}

describe("a whole run", () => {
  it.each(methodNames)(
    "%s clones, trains three iterations and evaluates, and every value it logs is finite and in the catalogue",
    async (name) => {
      const lines = await run(tinySpec(methodOf(name), 3));
      // Two cloning epochs, the evaluation before training, three iterations.
      expect(lines.map((line) => line.iteration)).toEqual([1, 2, 0, 1, 2, 3]);
      const last = lines.at(-1);
      expect(last?.optimizerStep).toBeGreaterThan(1);
      const entries = lines.flatMap((line) => Object.entries(line.values));
      expect(entries.filter(([key]) => !isMetricKey(key))).toEqual([]);
      expect(entries.filter(([, x]) => !Number.isFinite(x))).toEqual([]);
      expect(last?.values["policy/ratioMax"]).toBeGreaterThan(1);
    },
  );

  it("learns the same from log-probabilities as they were drawn and as they are computed again", async () => {
    const spec = (oldLogProbs: string) => tinySpec(methodOf("empg"), 3, { update: { minibatchRows: 8, oldLogProbs } });
    const [drawn, computed] = [await run(spec("sampler")), await run(spec("trainer"))];
    const compared = ["loss/total", "policy/entropy", "policy/klReference", "update/gradientNorm", "advantage/absMean"];
    const last = compared.map((key) => drawn.at(-1)?.values[key] ?? NaN);
    const again = compared.map((key) => computed.at(-1)?.values[key] ?? NaN);
    expect(last).toEqual(again.map((x) => expect.closeTo(x, 4)));
    expect(computed.at(-1)?.values["policy/samplerMismatch"]).toBeLessThan(1e-5);
    expect(drawn.at(-1)?.values).not.toHaveProperty("policy/samplerMismatch");
  });

  it("gives the same values for the same spec", async () => {
    const [first, second] = [await run(tinySpec(methodOf("sampo"), 2)), await run(tinySpec(methodOf("sampo"), 2))];
    expect(reproducible(second)).toEqual(reproducible(first));
  });

  it("stops between two steps when asked to, and says after which iteration", async () => {
    const { run: context, lines } = makeRecorder(folder);
    const { log } = context;
    const metrics: typeof log.metrics = (progress, values) => {
      log.metrics(progress, values);
      if (progress.iteration === 1 && "rollout/successRate" in values) context.interrupt.request();
    };
    const outcome = await train(tinySpec(methodOf("grpo"), 50), { ...context, log: { ...log, metrics } });
    expect(outcome).toEqual({ exit: "interrupted", reason: "stopped on request after iteration 1" });
    expect(lines.at(-1)?.iteration).toBe(1);
  });

  it("a filter that keeps nothing leaves the policy as it is", async () => {
    const method = { ...methodOf("grpo"), sampling: { kind: "minSpread", spread: 1e6 } };
    const last = (await run(tinySpec(method))).at(-1);
    expect(last?.optimizerStep).toBe(0);
    expect(last?.values).toMatchObject({ "rollout/numRows": 0, "update/numSteps": 0, "group/filteredFraction": 1 });
    expect(Object.values(last?.values ?? {}).every(Number.isFinite)).toBe(true);
  });

  it("a critic warms up before the policy moves", async () => {
    const method = { ...methodOf("ppo"), advantage: { ...methodOf("ppo").advantage, criticWarmupIterations: 1 } };
    const [, , , first, second] = await run(tinySpec(method, 2));
    expect([first?.optimizerStep, first?.values["update/numSteps"]]).toEqual([0, 0]);
    expect(first?.values["critic/loss"]).toBeGreaterThan(0);
    expect(second?.optimizerStep).toBeGreaterThan(0);
  });

  it("fine-tunes on its own successes, or says that there were none", async () => {
    const initialisation = { kind: "rejection", numEpisodes: 60, epochs: 3, numGenerated: 24, rounds: 2 };
    const lines = await run(tinySpec(methodOf("grpo"), 1, { initialisation }));
    const kept = lines.flatMap((line) => line.values["rejection/keptEpisodes"] ?? []);
    expect(kept).toHaveLength(2);
    const epochs = lines.filter((line) => "clone/loss" in line.values);
    expect(epochs).toHaveLength(3 + 3 * kept.filter((n) => n > 0).length);
  });
});

describe("200 random points of the four dimensions and the update", () => {
  const points = Array.from({ length: 200 }, (_, seed) => ({ seed, spec: randomSpec(split(seed, "random point")) }));

  it("many kinds of each dimension are among them", () => {
    const kinds = (of: (spec: RunSpec) => string): number => new Set(points.map(({ spec }) => of(spec))).size;
    expect(kinds(({ method }) => method.aggregation)).toBe(5);
    expect(kinds(({ method }) => method.clipping.kind)).toBe(8);
    expect(kinds(({ method }) => method.advantage.kind)).toBe(6);
    expect(kinds(({ method }) => method.sampling.kind)).toBe(6);
  });

  it.each(points)(
    "seed $seed trains three iterations with finite values, or is refused with a reason",
    async ({ spec }) => {
      const conflicts = conflictsOf(spec);
      if (conflicts.length > 0) {
        for (const { path, message } of conflicts) expect([path, message].every((text) => text.length > 5)).toBe(true);
        return;
      }
      const lines = await run(spec);
      expect(lines.at(-1)?.iteration).toBe(3);
      expect(lines.flatMap((line) => Object.entries(line.values)).filter(([, x]) => !Number.isFinite(x))).toEqual([]);
    },
  );
});

function randomSpec(rng: Rng): RunSpec {
  const pick = <X>(...options: readonly X[]): X => {
    const chosen = options[rng.int(options.length)];
    if (chosen === undefined) throw new Error("nothing to pick from");
    return chosen;
  };
  const mask = pick(null, { delta: 3e-3 });
  const scale = pick("groupStd", "none");
  const klPlacement = pick("loss", "loss", "reward");
  return tinySpec(
    {
      aggregation: pick("tokenMean", "seqMeanTokenMean", "seqMeanTokenSum", "seqMeanTokenSumNorm", "tokenSum"),
      clipping: pick<Partly>(
        { kind: "token", low: 0.2, high: 0.28, dual: pick(null, 3), sequenceMask: mask },
        { kind: "sequence", low: 3e-3, high: 4e-3, credit: pick("row", "token") },
        { kind: "sapo", tauPositive: 1, tauNegative: 1.05, sequenceMask: mask },
        { kind: "cispo", low: 1, high: 0.2, sequenceMask: mask },
        { kind: "aepo", low: 0.2, high: 0.2 },
        { kind: "geometricMean" },
        { kind: "clipCov", low: 0.2, high: 0.2, share: 0.1, covarianceLow: -1 },
        { kind: "klCov", share: 0.1 },
      ),
      advantage: pick<Partly>(
        { kind: "group", scale, samples: pick("turns", "episodes") },
        { kind: "rloo" },
        { kind: "reinforcePlusPlus", baseline: pick("none", "group") },
        { kind: "gae", gamma: 0.99, lambda: 0.95, turns: pick(null, {}) },
        { kind: "gigpo", scale },
        { kind: "empg", scale },
      ),
      sampling: pick<Partly>(
        { kind: "all" },
        { kind: "dynamic", maxTries: 2, coldStartIterations: 1 },
        { kind: "oversample", factor: 2, maxTries: 2, signal: pick("reward", "success") },
        { kind: "minSpread" },
        { kind: "topSpread" },
        { kind: "topVarianceMass", lossScale: pick("none", "linear", "sqrt") },
      ),
    },
    3,
    {
      initialisation: { kind: "scratch" },
      environment: { id: "sokoban", maxTurns: 2 },
      rollout: {
        numGroups: 2,
        groupSize: pick(1, 2, 2),
        shape: pick(null, "transcript"),
        historyLength: 0,
        maxResponseTokens: 6,
      },
      reward: { turnPenalty: pick(0, 0.1), overlongPenalty: pick(0, 0.1) },
      update: {
        minibatchRows: pick(4, 8),
        epochs: pick(1, 2),
        klCoef: pick(0, 0.05),
        klPlacement,
        klEstimator: pick("k1", "abs", "k2", "k3", "k3+"),
        klTarget: pick(null, null, 0.1),
        entropyCoef: pick(0, 0.01),
        ...pick({ oldLogProbs: "sampler" }, { oldLogProbs: "trainer", truncatedImportance: pick(null, 2) }),
        denominatorRows: pick(null, null, 2),
      },
      evaluation: { every: 3, numEpisodes: 2 },
    },
  );
}
