import { expect, it } from "vitest";
import { makeParameters } from "#trainer/policy/parameters.ts";
import { methodOf, type MethodName } from "#trainer/spec/method.ts";
import { split } from "#trainer/spec/rng.ts";
import { RunSpec } from "#trainer/spec/run.ts";
import { makeEngine, makeLearner } from "./learner.ts";
import { updatePolicy } from "./update.ts";

const config = { size: "nano", vocabularySize: 12, contextTokens: 24, positions: "learned" } as const;

const parameters = makeParameters(config, split(0, "parameters"));
const tokens = Array.from({ length: 6 }, (_, i) => ({
  prompt: Int32Array.of(3 + i, 5),
  response: Int32Array.from({ length: 3 }, (__, t) => 1 + ((i + t) % 9)),
}));
const specOf = (method: MethodName) =>
  RunSpec.parse({ v: 1, seed: 0, environment: { id: "sokoban" }, method: methodOf(method) });

/** Metrics of one update over rows with the given old entropies. */
async function update(method: MethodName, entropyOf: (row: number) => number, controlTokens: readonly number[] = []) {
  const spec = specOf(method);
  const engine = makeEngine(config, spec, {});
  const learner = makeLearner(config, spec, { ...engine, controlTokens });
  const scores = await learner.score(parameters, tokens);
  const rows = tokens.map((row, i) => {
    const logProbs = scores[i]?.logProbs ?? new Float32Array();
    return {
      ...row,
      turns: new Float32Array(3),
      advantages: new Float32Array(3).fill(i - 2),
      oldLogProbs: logProbs,
      referenceLogProbs: logProbs,
      samplerLogProbs: logProbs,
      entropies: new Float32Array(3).fill(entropyOf(i)),
    };
  });
  const shapes = Object.fromEntries(Object.entries(parameters).map(([name, values]) => [name, [values.length]]));
  const optimizer = engine.store.makeOptimizer(spec.optimizer, shapes);
  const own = { ...structuredClone(parameters) };
  const parts = { spec, maxRowTokens: 3, learner, optimizer, parameters: own, check: () => {} };
  const { values } = await updatePolicy(parts, rows, { iteration: 1, lossScale: 1 });
  await engine.pool.close();
  return values;
}

it("AEPO trains on the entropies of the policy as it is, whatever the old policy's were", async () => {
  const lossOf = async (...of: Parameters<typeof update>) => (await update(...of))["loss/policy"];
  const [rising, falling] = [await lossOf("aepo", (row) => row), await lossOf("aepo", (row) => 5 - row)];
  expect(rising).toBeTypeOf("number");
  expect(falling).toBe(rising);
  expect(rising).not.toBe(await lossOf("grpo", (row) => row));
});

it("measures the probability of control tokens where another token was sampled", async () => {
  const control = [2, 7, 11];
  const places = tokens.flatMap(({ prompt, response }) =>
    [...response].flatMap((token, t) => (control.includes(token) ? [] : [{ prompt, before: response.slice(0, t) }])),
  );
  // Each control token is scored in place of the sampled one.
  const spec = specOf("grpo");
  const engine = makeEngine(config, spec, {});
  const learner = makeLearner(config, spec, engine);
  const asked = places.flatMap(({ prompt, before }) =>
    control.map((token) => ({ prompt, response: Int32Array.of(...before, token) })),
  );
  const scores = await learner.score(parameters, asked);
  await engine.pool.close();
  const mass = scores.reduce((sum, { logProbs }) => sum + Math.exp(logProbs.at(-1) ?? NaN), 0) / places.length;
  expect(places.length).toBeLessThan(18);
  expect((await update("grpo", () => 1, control))["policy/controlMass"]).toBeCloseTo(mass, 5);
  expect(await update("grpo", () => 1)).not.toHaveProperty("policy/controlMass");
});
