import { describe, expect, it } from "vitest";
import { gradients } from "#trainer/graph/backward.ts";
import { interpret } from "#trainer/graph/testing/interpret.ts";
import { input } from "#trainer/graph/ops.ts";
import { makeSession } from "#trainer/onnx/session.ts";
import { valueLoss } from "#trainer/objective/loss.ts";
import { criticFrom } from "#trainer/policy/critic.ts";
import { makeParameters } from "#trainer/policy/parameters.ts";
import { methods, methodOf } from "#trainer/spec/method.ts";
import { split } from "#trainer/spec/rng.ts";
import { RunSpec } from "#trainer/spec/run.ts";
import { explainedVariance, makeCritic } from "./critic.ts";
import { makeEngine } from "./learner.ts";

const config = { size: "nano", vocabularySize: 12, contextTokens: 24, positions: "learned" } as const;
const gae = { ...methods.ppo.advantage, criticLearningRate: 3e-3, valueClip: 0.5 };
const spec = RunSpec.parse({ v: 1, seed: 0, environment: { id: "sokoban" }, method: methodOf("ppo") });

/** Rows whose return is 1 if the prompt begins with token 3, else −1. */
const rows = Array.from({ length: 24 }, (_, i) => ({
  prompt: Int32Array.of(i % 2 ? 3 : 4, 5, i % 7),
  response: Int32Array.from({ length: 1 + (i % 3) }, (__, t) => t + 1),
  returns: new Float32Array(1 + (i % 3)).fill(i % 2 ? 1 : -1),
}));

describe("the critic", () => {
  it("starts at 0, fits known returns, and says how much it explains", async () => {
    const engine = makeEngine(config, spec, {});
    const critic = makeCritic({ config, spec, engine }, gae, {
      parameters: criticFrom(makeParameters(config, split(0, "parameters")), config),
    });
    const returns = rows.map((row) => row.returns);
    const first = await critic.values(rows);
    expect(first.map((own) => own.length)).toEqual(returns.map((own) => own.length));
    expect(first.every((own) => own.every((x) => x === 0))).toBe(true);
    for (let iteration = 0; iteration < 30; iteration++) {
      const oldValues = await critic.values(rows);
      const step = await critic.step(rows.map((row, i) => ({ ...row, oldValues: oldValues[i] ?? new Float32Array() })));
      expect(step.skipped).toBe(false);
    }
    expect(explainedVariance(returns, await critic.values(rows))).toBeGreaterThan(0.9);
    await engine.pool.close();
  });
});

describe("the value loss", () => {
  const shape = [2, 3] as const;
  const feeds = {
    values: Float64Array.of(0.2, 1.4, -0.3, 0.9, 0, 0),
    oldValues: Float64Array.of(0, 0.5, 0.6, 1, 0, 0),
    returns: Float64Array.of(1, 1, -1, 0.2, 0, 0),
    weights: Float64Array.of(0.25, 0.25, 0.25, 0.25, 0, 0),
  };
  const values = input("values", shape);
  const { loss, clipFraction } = valueLoss(0.5, {
    values,
    oldValues: input("oldValues", shape),
    returns: input("returns", shape),
    weights: input("weights", shape),
  });

  it("is half the larger of the free and the clipped squared error, worked by hand", () => {
    // Squared errors of the values are .64 .16 .49 .49; of the clipped values .2 1 .1 .9, they are .64 0 1.21 .49. Only
    // the third token is clipped.
    const [total, clipped] = interpret([loss, clipFraction], feeds);
    expect(total?.[0]).toBeCloseTo((0.5 * (0.64 + 0.16 + 1.21 + 0.49)) / 4, 12);
    expect(clipped?.[0]).toBeCloseTo(0.25, 12);
  });

  it("has the gradient that finite differences give", () => {
    const [gradient] = interpret(gradients(loss, [values]), feeds);
    for (const [i, x] of feeds.values.entries()) {
      const at = (moved: number): number =>
        interpret([loss], { ...feeds, values: feeds.values.with(i, moved) })[0]?.[0] ?? NaN;
      expect(gradient?.[i]).toBeCloseTo((at(x + 1e-6) - at(x - 1e-6)) / 2e-6, 6);
    }
  });
});

it("a value that moved less than the clip range is not counted as clipped for being rounded", async () => {
  const width = 400;
  const shape = [1, width] as const;
  const nodes = {
    values: input("values", shape),
    oldValues: input("oldValues", shape),
    returns: input("returns", shape),
    weights: input("weights", shape),
  };
  const { clipFraction } = valueLoss(0.5, nodes);
  const rng = split(2, "values");
  const draw = (size: number) => Float32Array.from({ length: width }, () => size * rng.normal());
  const oldValues = draw(0.05);
  const session = await makeSession({ clipFraction });
  const outputs = await session.run({
    values: oldValues.map((x) => x + 0.4 * (rng.next() - 0.5)),
    oldValues,
    returns: draw(0.01),
    weights: new Float32Array(width).fill(1 / width),
  });
  await session.close();
  expect([...outputs.clipFraction]).toEqual([0]);
});
