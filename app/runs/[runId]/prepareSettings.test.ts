import { expect, it } from "vitest";
import { methodOf } from "#trainer/spec/method.ts";
import { CellSpec } from "#trainer/spec/run.ts";
import { prepareSettings } from "./prepareSettings.ts";

it("tells a run by its method's four kinds and by what departs from the defaults, and counts the rest", () => {
  const spec = CellSpec.parse({
    environment: { id: "sokoban", size: 7 },
    method: methodOf("gspo"),
    optimizer: { learningRate: 1e-4 },
  });
  const settings = prepareSettings(spec);
  expect(settings.dimensions.map(({ kind }) => kind)).toEqual(["Turn mean", "Turn clip", "Group-relative", "Keep all"]);
  expect(settings.differences).toEqual([
    expect.objectContaining({ path: "environment.size", value: "7", usual: "6" }),
    { path: "optimizer.learningRate", title: "Learning rate", value: "1e-4", usual: "3e-4" },
  ]);
  expect(settings.numUsual).toBeGreaterThan(20);
});

it("names what is absent by default, as the lag and the precision of another sampler", () => {
  const spec = CellSpec.parse({
    environment: { id: "sokoban" },
    method: methodOf("grpo"),
    rollout: { lag: { kind: "constant", k: 16 }, samplerPrecision: "int8" },
  });
  expect(prepareSettings(spec).differences).toEqual([
    expect.objectContaining({ path: "rollout.lag.kind", value: "constant", usual: "none" }),
    { path: "rollout.lag.k", title: "Lag (iterations)", value: "16", usual: "none" },
    { path: "rollout.samplerPrecision", title: "Sampler precision", value: "int8", usual: "none" },
  ]);
});

it("counts the environments of evaluations elsewhere instead of listing their settings", () => {
  const elsewhere = [{ environment: { id: "webshop" } }, { name: "large", environment: { id: "sokoban", size: 7 } }];
  const settings = prepareSettings(
    CellSpec.parse({ environment: { id: "sokoban" }, method: methodOf("grpo"), evaluation: { elsewhere } }),
  );
  expect(settings.differences).toEqual([
    { path: "evaluation.elsewhere", title: "Evaluated elsewhere", value: "2 environments", usual: "none" },
  ]);
});
