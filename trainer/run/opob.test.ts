import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { globalNorm } from "#trainer/objective/optimizer.ts";
import { makeParameters } from "#trainer/policy/parameters.ts";
import { isMeasured } from "#trainer/spec/metric.ts";
import { methodOf, type MethodName } from "#trainer/spec/method.ts";
import { split } from "#trainer/spec/rng.ts";
import type { Snapshot } from "./keeping/checkpoints.ts";
import { makeEngine, makeLearner } from "./learning/learner.ts";
import { makeRecorder } from "./testing/recorder.ts";
import { tinySpec } from "./testing/tinySpec.ts";
import { train } from "./train.ts";

const folder = mkdtempSync(join(tmpdir(), "arlarena-opob-"));
afterAll(() => rmSync(folder, { recursive: true }));

const size = { numGroups: 2, groupSize: 3, historyLength: 1, maxResponseTokens: 12 };

it("the norm of a row's gradient is how fast its log-probability grows along it, tempered as it was sampled", async () => {
  const config = { size: "nano", vocabularySize: 12, contextTokens: 24, positions: "learned" } as const;
  const spec = tinySpec(methodOf("vcpoOpob"), 1, { rollout: { ...size, temperature: 0.7 } });
  const engine = makeEngine(config, spec, {});
  const learner = makeLearner(config, spec, engine);
  const parameters = makeParameters(config, split(3, "parameters"));
  const rowOf = (prompt: number[], response: number[]) => ({
    prompt: Int32Array.from(prompt),
    response: Int32Array.from(response),
  });
  const rows = [rowOf([3, 4, 5], [6, 7]), rowOf([4], [8, 9, 3, 2]), rowOf([3, 4, 5], [6, 7]), rowOf([4, 4], [1])];
  const norms = await learner.gradientNorms(parameters, rows);
  for (const [i, row] of rows.entries()) {
    const ones = new Float32Array(row.response.length).fill(1);
    const zeros = new Float32Array(row.response.length);
    const pass = await learner.policyGradient(parameters, [row], {
      advantages: ones,
      policyWeights: ones,
      penaltyWeights: zeros,
      oldLogProbs: zeros,
      referenceLogProbs: zeros,
      signal: zeros,
    });
    const gradients = await engine.store.read(pass.gradients);
    const norm = globalNorm(Object.values(gradients));
    const moved = async (by: number): Promise<number> => {
      const along = Object.entries(parameters).map(([name, values]) => {
        const slope = gradients[name] ?? new Float32Array();
        return [name, values.map((x, j) => x - (by * (slope[j] ?? 0)) / norm)] as const;
      });
      const [scores] = await learner.score(Object.fromEntries(along), [row]);
      return (scores?.logProbs ?? new Float32Array()).reduce((sum, x) => sum + x, 0);
    };
    const step = 3e-3;
    const measured = ((await moved(step)) - (await moved(-step))) / (2 * step);
    expect(norms[i], `row ${i}`).toBeGreaterThan(0.1);
    expect((norms[i] ?? NaN) / measured, `row ${i}`).toBeCloseTo(1, 2);
  }
  expect(norms[2]).toBe(norms[0]);
  await learner.close();
});

type Recorded = { iteration: number; values: Readonly<Record<string, number>> };

async function recorded(
  name: MethodName,
  shape: "windowed" | "transcript",
  { resumed, iterations = 1 }: { resumed?: { snapshot: Snapshot; from: string }; iterations?: number } = {},
): Promise<{ lines: Recorded[]; snapshots: Snapshot[] }> {
  const snapshots: Snapshot[] = [];
  const { run, lines } = makeRecorder(folder);
  const checkpoints = { ...run.checkpoints, save: (snapshot: Snapshot) => void snapshots.push(snapshot) };
  const spec = tinySpec(methodOf(name), iterations, {
    rollout: { ...size, shape, lag: { kind: "uniform", max: 2 }, samplerPrecision: "int8" },
    execution: { checkpointEvery: 1 },
  });
  const outcome = await train(spec, { ...run, checkpoints, ...(resumed && { resumed }) });
  expect(outcome).toMatchObject({ exit: "completed" });
  const measured = (values: Recorded["values"]) =>
    Object.fromEntries(Object.entries(values).filter(([key]) => !isMeasured(key)));
  return { lines: lines.map(({ iteration, values }) => ({ iteration, values: measured(values) })), snapshots };
}

it("VCPO with OPOB goes on exactly where a checkpoint left it, and logs the mean norm of a row's gradient", async () => {
  const whole = await recorded("vcpoOpob", "windowed", { iterations: 3 });
  const snapshot = whole.snapshots.find(({ iteration }) => iteration === 2);
  if (!snapshot) throw new Error("no checkpoint after iteration 2");
  const rest = await recorded("vcpoOpob", "windowed", { iterations: 3, resumed: { snapshot, from: "here" } });
  expect(rest.lines).toEqual(whole.lines.slice(-1));
  for (const { values } of whole.lines.slice(-3)) expect(values["advantage/rowGradientNorm"]).toBeGreaterThan(0);
});

it("a transcript has one gradient, whatever its turns, and VCPO measures none", { tags: "soak" }, async () => {
  const last = async (name: MethodName) => (await recorded(name, "transcript")).lines.at(-1)?.values;
  expect((await last("vcpoOpob"))?.["advantage/rowGradientNorm"]).toBeGreaterThan(0);
  const plain = Object.keys((await last("vcpo")) ?? {});
  expect(plain).toContain("advantage/absMean");
  expect(plain).not.toContain("advantage/rowGradientNorm");
});
