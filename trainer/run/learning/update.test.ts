import { expect, it } from "vitest";
import { makeParameters } from "#trainer/policy/parameters.ts";
import { methodOf, type MethodName } from "#trainer/spec/method.ts";
import { split } from "#trainer/spec/rng.ts";
import { RunSpec } from "#trainer/spec/run.ts";
import { makeEngine, makeLearner } from "./learner.ts";
import { updatePolicy } from "./update.ts";

const config = { size: "nano", vocabularySize: 12, contextTokens: 24, positions: "learned" } as const;

/** Policy loss of one update over rows with the given old entropies. */
async function lossOf(method: MethodName, entropyOf: (row: number) => number): Promise<number | undefined> {
  const spec = RunSpec.parse({ v: 1, seed: 0, environment: { id: "sokoban" }, method: methodOf(method) });
  const parameters = makeParameters(config, split(0, "parameters"));
  const engine = makeEngine(config, spec, {});
  const learner = makeLearner(config, spec, engine);
  const tokens = Array.from({ length: 6 }, (_, i) => ({
    prompt: Int32Array.of(3 + i, 5),
    response: Int32Array.from({ length: 3 }, (__, t) => 1 + ((i + t) % 9)),
  }));
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
  const update = { spec, maxRowTokens: 3, learner, optimizer, parameters, check: () => {} };
  const { values } = await updatePolicy(update, rows, { iteration: 1, lossScale: 1 });
  await engine.pool.close();
  return values["loss/policy"];
}

it("AEPO trains on the entropies of the policy as it is, whatever the old policy's were", async () => {
  const [rising, falling] = [await lossOf("aepo", (row) => row), await lossOf("aepo", (row) => 5 - row)];
  expect(rising).toBeTypeOf("number");
  expect(falling).toBe(rising);
  expect(rising).not.toBe(await lossOf("grpo", (row) => row));
});
