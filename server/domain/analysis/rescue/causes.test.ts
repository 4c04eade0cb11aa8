import { expect, it } from "vitest";
import { methodOf } from "#trainer/spec/method.ts";
import { RunSpec } from "#trainer/spec/run.ts";
import { nameCauses } from "./causes.ts";

const spec = (settings: object, seed = 1) =>
  RunSpec.parse({
    v: 1,
    seed,
    environment: { id: "sokoban" },
    method: methodOf(seed % 2 === 0 ? "grpo" : "sapo"),
    budget: { iterations: 48 },
    ...settings,
  });
const lag = (k: number) => ({ rollout: { lag: { kind: "constant", k } } });
const rate = { optimizer: { learningRate: 0.005 } };

it.each<[string, RunSpec[], string[]]>([
  ["nothing, if nothing differs but seed and method", [spec(lag(16), 1), spec(lag(16), 2)], ["Usual settings"]],
  [
    "the value of each, if there is no usual one",
    [spec(lag(16)), spec(lag(8))],
    ["Lag (iterations) 16", "Lag (iterations) 8"],
  ],
  [
    "what differs from the usual settings",
    [spec({}), spec(rate), spec(lag(16)), spec(lag(16), 2)],
    ["Usual settings", "Learning rate 5e-3", "Lag (iterations) 16"],
  ],
])("a cause names %s", (_name, specs, expected) => {
  expect([...new Set(nameCauses(specs))]).toEqual(expected);
});
