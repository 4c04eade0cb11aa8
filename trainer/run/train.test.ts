import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { inBoth, isSoak } from "#server/testing/soak.ts";
import { methodNames, methodOf } from "#trainer/spec/method.ts";
import { comparedMethods } from "#trainer/spec/methods/compared.ts";
import { isMetricKey, isMeasured } from "#trainer/spec/metric.ts";
import type { RunSpec } from "#trainer/spec/run.ts";
import { makeRecorder, type Line } from "./testing/recorder.ts";
import { tinySpec, type Partly } from "./testing/tinySpec.ts";
import { train } from "./train.ts";

const folder = mkdtempSync(join(tmpdir(), "arlarena-train-"));
afterAll(() => rmSync(folder, { recursive: true }));

async function run(spec: RunSpec): Promise<Line[]> {
  const { run: context, lines } = makeRecorder(folder);
  expect(await train(spec, context)).toMatchObject({ exit: "completed" });
  return lines;
}

/** Every logged value except measurements of time and machine. */
function reproducible(lines: readonly Line[]) {
  return lines.map((line) => ({
    ...line,
    values: Object.fromEntries(Object.entries(line.values).filter(([key]) => !isMeasured(key))),
  }));
}

/** The methods that ARLArena compares, and for every other clipping kind the first method with it. */
const trained = methodNames.filter((name, i) => {
  const { clipping } = methodOf(name);
  return (
    name in comparedMethods || methodNames.slice(0, i).every((other) => methodOf(other).clipping.kind !== clipping.kind)
  );
});

describe("a whole run", () => {
  it.each(trained.filter((_, i) => (i % 4 === 0) !== isSoak))(
    "%s clones, trains three iterations and evaluates, and every value it logs is finite and in the catalogue",
    { tags: inBoth },
    async (name) => {
      const lines = await run(tinySpec(methodOf(name), 3));
      // The lines are two cloning epochs, the evaluation before training, and three iterations.
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

  it("measures whether responses depend on prompts where that is asked for, and changes no other value", async () => {
    const spec = (more: Partly) => tinySpec(methodOf("grpo"), 2, { evaluation: { every: 1, numEpisodes: 4, ...more } });
    const [plain, asked] = [await run(spec({})), await run(spec({ templatePairs: 4 }))];
    const others = (line: Line) => Object.entries(line.values).filter(([key]) => !key.startsWith("template/"));
    expect(reproducible(asked).map((line) => ({ ...line, values: Object.fromEntries(others(line)) }))).toEqual(
      reproducible(plain),
    );
    const found = Object.keys(asked.at(-1)?.values ?? {}).filter((key) => key.startsWith("template/"));
    expect(found.filter((key) => !isMetricKey(key))).toEqual([]);
    expect(found).toHaveLength(6);
    const value = (key: string) => asked.at(-1)?.values[`template/${key}`] ?? NaN;
    expect(value("mutualInformation")).toBeLessThanOrEqual(Math.log(4));
    expect(value("marginalEntropy")).toBeCloseTo(value("conditionalEntropy") + value("mutualInformation"), 6);
  });

  it(
    "corrects for a sampler of older weights and less precision, and says what it weighed and left out",
    { tags: "soak" },
    async () => {
      const correction = {
        weight: { kind: "clip", high: 2, normalise: true },
        reject: [{ kind: "row", statistic: "ratio", low: 0.999, high: 1.001 }],
        step: { kind: "ess" },
      };
      const rollout = { numGroups: 2, groupSize: 3, historyLength: 1, maxResponseTokens: 12 };
      const spec = (sampler: object, given: object) =>
        tinySpec({ ...methodOf("grpo"), ...given }, 3, { rollout: { ...rollout, ...sampler } });
      const lines = await run(spec({ lag: { kind: "constant", k: 2 }, samplerPrecision: "int8" }, { correction }));
      const last = lines.at(-1)?.values ?? {};
      expect(last["correction/rejectedRowFraction"]).toBeGreaterThan(0);
      for (const share of ["effectiveFraction", "stepScale"]) {
        expect(last[`correction/${share}`]).toBeGreaterThan(0);
        expect(last[`correction/${share}`]).toBeLessThan(1);
      }
      // If sampler and trainer agree, the correction changes nothing.
      const kept = (all: Line[]) =>
        reproducible(all).map(({ values }) =>
          Object.entries(values).filter(([key]) => !/^correction|^policy.truncated/.test(key)),
        );
      expect(kept(await run(spec({}, { correction })))).toEqual(kept(await run(spec({}, {}))));
    },
  );

  it(
    "samples again where an action repeats, and trains on rejected responses with the log-probabilities as drawn",
    { tags: "soak" },
    async () => {
      const rollout = { numGroups: 2, groupSize: 3, historyLength: 1, maxResponseTokens: 12 };
      const spec = (more: object) =>
        tinySpec(methodOf("grpo"), 2, {
          rollout: { ...rollout, ...more },
          update: { minibatchRows: 8, oldLogProbs: "trainer" },
        });
      const values = (await run(spec({ loopControl: "both" }))).at(-1)?.values ?? {};
      expect(Object.keys(values).filter((key) => !isMetricKey(key))).toEqual([]);
      const rejected = values["rollout/rejectedFraction"] ?? NaN;
      expect(rejected).toBeGreaterThan(0);
      expect(values["evaluation/rejectedFraction"]).toBeGreaterThan(0);
      const executed = 2 * 3 * (values["rollout/episodeTurns"] ?? NaN);
      expect(values["rollout/numRows"]).toBeCloseTo(executed / (1 - rejected), 6);
      expect(values["policy/samplerMismatch"]).toBeLessThan(1e-5);
      expect(reproducible(await run(spec({ loopControl: "none" })))).toEqual(reproducible(await run(spec({}))));
    },
  );

  const withSampler = (sampler: object, iterations = 2) =>
    tinySpec(methodOf("grpo"), iterations, {
      rollout: { numGroups: 2, groupSize: 3, historyLength: 1, maxResponseTokens: 12, ...sampler },
    });

  it("logs the same where the sampler is said to be the current policy as where nothing is said of it", async () => {
    const exact = { lag: { kind: "uniform", max: 0 }, samplerPrecision: "float32", samplerNoise: { sigma: 0 } };
    expect(reproducible(await run(withSampler(exact)))).toEqual(reproducible(await run(withSampler({}))));
  });

  it("a lag has no mismatch in the first iteration, and one from the second on", async () => {
    const lines = await run(withSampler({ lag: { kind: "constant", k: 1 } }, 3));
    const [first, second, third] = lines.slice(-3).map(({ values }) => values);
    expect([first, second, third].map((values) => values?.["policy/staleness"])).toEqual([0, 1, 1]);
    expect(first?.["mismatch/k3"]).toBeLessThan(1e-11);
    expect(second?.["mismatch/k3"]).toBeGreaterThan(1e-8);
    expect(third?.["mismatch/absMax"]).toBeGreaterThan(1e-4);
    // The ratio in the update compares with the trainer's old policy, not with the sampler, so the first minibatch is
    // on-policy.
    expect(first?.["mismatch/essRow"]).toBeCloseTo(1, 8);
  });

  it("a lag and a precision at once: both parts are there, add up, and everything is in the catalogue", async () => {
    const lines = await run(
      withSampler({ lag: { kind: "uniform", max: 2, discardBeyond: 1 }, samplerPrecision: "int8" }, 3),
    );
    const entries = lines.flatMap((line) => Object.entries(line.values));
    expect(entries.filter(([key, x]) => !isMetricKey(key) || !Number.isFinite(x))).toEqual([]);
    const values = lines.at(-1)?.values ?? {};
    const sum = (values["mismatch/stalenessK1"] ?? NaN) + (values["mismatch/precisionK1"] ?? NaN);
    expect(sum).toBeCloseTo(values["policy/samplerKl"] ?? NaN, 8);
    expect(values["mismatch/precisionK3"]).toBeGreaterThan(1e-8);
    expect(values["rollout/discardedFraction"]).toBeGreaterThanOrEqual(0);
  });

  it("gives the same values for the same spec", async () => {
    const [first, second] = [await run(tinySpec(methodOf("sampo"), 2)), await run(tinySpec(methodOf("sampo"), 2))];
    expect(reproducible(second)).toEqual(reproducible(first));
  });

  it("learns the same whatever its evaluation plays, and tells of several samples what one cannot", async () => {
    const spec = (evaluation: object) =>
      tinySpec(methodOf("grpo"), 2, { evaluation: { every: 1, numEpisodes: 4, ...evaluation } });
    const [absent, one, three] = [
      await run(spec({})),
      await run(spec({ samplesPerTask: 1 })),
      await run(spec({ samplesPerTask: 3 })),
    ];
    expect(reproducible(one)).toEqual(reproducible(absent));
    const { values = {} } = three.at(-1) ?? {};
    const added = Object.keys(values).filter((key) => !(key in (one.at(-1)?.values ?? {})));
    expect(added.toSorted()).toEqual(["atLeast2", "atLeast3", "passAt2", "passAt3"].map((key) => `evaluation/${key}`));
    const [mean = NaN, two = NaN, all = NaN] = ["successRate", "passAt2", "passAt3"].map(
      (key) => values[`evaluation/${key}`],
    );
    expect(mean).toBeLessThanOrEqual(two);
    expect(two).toBeLessThanOrEqual(all);
    const trained = (lines: readonly Line[]) =>
      reproducible(lines).map((line) =>
        Object.entries(line.values).filter(([key]) => !/^(evaluation|taskSuccess|behaviour)\//.test(key)),
      );
    expect(trained(three)).toEqual(trained(one));
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

  it("counts a group of GRPO whose episodes are all too old as one not trained on", async () => {
    const rollout = {
      numGroups: 4,
      groupSize: 2,
      maxResponseTokens: 12,
      lag: { kind: "uniform", max: 2, discardBeyond: 0 },
    };
    const lines = await run(tinySpec(methodOf("grpo"), 3, { rollout }));
    const filtered = lines.flatMap(({ values }) => values["group/filteredFraction"] ?? []);
    expect(filtered[0]).toBe(0);
    expect(Math.max(...filtered)).toBeGreaterThan(0);
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
