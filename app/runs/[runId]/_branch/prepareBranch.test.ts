import { expect, it } from "vitest";
import { methodOf } from "#trainer/spec/method.ts";
import { RunSpec } from "#trainer/spec/run.ts";
import { examineBranch, listBranchFields, usualFields, type BranchForm } from "./prepareBranch.ts";

const spec = RunSpec.parse({
  v: 1,
  seed: 2,
  environment: { id: "sokoban" },
  method: methodOf("grpo"),
  budget: { iterations: 48 },
});
const origin = { id: "first-c0-s2", method: "GRPO", spec };
const form: BranchForm = { kind: "branch", iteration: "18", continuations: "1", texts: {} };
const examine = (changed: Partial<BranchForm>) => examineBranch(origin, { ...form, ...changed }, [0, 40]);

it("offers the builder's settings that the run has, with its values", () => {
  const fields = listBranchFields(spec);
  const own = Object.fromEntries(fields.map(({ field, own }) => [field.path, own]));
  expect(own).toMatchObject({
    "optimizer.learningRate": "3e-4",
    "method.clipping.low": "0.2",
    "environment.size": "6",
  });
  for (const path of usualFields) expect(own).toHaveProperty([path]);
  expect(Object.keys(own).filter((path) => /policy|initialisation|\.k$/.test(path))).toEqual([]);
});

it("counts runs and iterations, and leaves the run's own values out", () => {
  expect(examine({})).toMatchObject({ size: { numRuns: 1, numIterations: 30 }, request: { changes: {} } });
  const texts = { "optimizer.learningRate": "0.0003, 6e-5", "update.klCoef": "0.01", "budget.iterations": "60" };
  expect(examine({ texts, continuations: "3" })).toMatchObject({
    size: { numRuns: 6, numIterations: 6 * 42 },
    request: { changes: { "optimizer.learningRate": [3e-4, 6e-5], "budget.iterations": [60] } },
  });
  expect(examine({ kind: "run" }).size).toEqual({ numRuns: 1, numIterations: 48 });
});

it.each([
  [{ texts: { "optimizer.learningRate": "fast" } }, "optimizer.learningRate", '"fast" is not a number'],
  [{ texts: { "optimizer.learningRate": "2" } }, "optimizer.learningRate", "is 2, must be at most 1"],
  [{ texts: { "method.clipping.low": "7" } }, "method.clipping.low", "is 7, must be at most 1"],
  [{ texts: { "environment.size": "99" } }, "environment.size", "is 99, must be at most 10"],
  [{ texts: { "update.epochs": "" } }, "update.epochs", "needs a value"],
  [{ iteration: "41" }, "iteration", "must be a whole number from 0 to 40"],
  [{ continuations: "0" }, "continuations", "must be a whole number from 1 to 1,000"],
])("%j: names the field", (changed, field, message) => {
  const { size, problems, others } = examine(changed);
  expect([size, others]).toEqual([undefined, []]);
  expect(problems).toEqual({ [field]: expect.stringContaining(message) });
});
