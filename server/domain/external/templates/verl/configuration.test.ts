import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { methodNames, methodOf } from "#trainer/spec/method.ts";
import { RunSpec } from "#trainer/spec/run.ts";
import { verlArguments } from "./arguments.ts";
import { settings } from "../testing/settings.ts";

/** Configurations of ARLArena's recipes as their loader composes them, and the estimators their trainers know. */
const file = join(process.env["ARLARENA_REFERENCE"] ?? "../shared/reference", "configs.json");
const Composed = z.object({
  recipes: z.record(z.string(), z.record(z.string(), z.unknown())),
  advantageEstimators: z.record(z.string(), z.array(z.string())),
});

const recipes = [
  ["alfworld", ["arlarena:recipe/world_agent/config/alfworld_", "world_agent"], ["gmpo", "clipCov", "klCov"]],
  ["webshop", ["arlarena:recipe/shop_agent/config/webshop_", "shop_agent"], ["gmpo", "clipCov", "klCov"]],
  [
    "sokoban",
    ["arlarena:recipe/game_agent/config/game_", "game_agent"],
    ["drGrpo", "gmpo", "clipCov", "klCov", "empg"],
  ],
] as const;

const changes = [
  {},
  { update: { klPlacement: "reward", klEstimator: "k1", klTarget: 0.1 } },
  { update: { oldLogProbs: "trainer", truncatedImportance: 2 } },
];

describe.skipIf(!existsSync(file))("overrides against the composed configurations (needs the reference folder)", () => {
  const { recipes: configurations, advantageEstimators } = existsSync(file)
    ? Composed.parse(JSON.parse(readFileSync(file, "utf8")))
    : { recipes: {}, advantageEstimators: {} };

  it.each(recipes)("%s: every key is there or added, every estimator known", (id, [name, trainer], refused) => {
    const keys = new Set(Object.keys(configurations[name] ?? {}));
    const estimators = advantageEstimators[trainer] ?? [];
    const accepted: string[] = [];
    for (const method of methodNames) {
      for (const change of changes) {
        const spec = RunSpec.parse({ v: 1, seed: 0, environment: { id }, method: methodOf(method), ...change });
        const { overrides, problems } = verlArguments(spec, settings);
        if (problems.length > 0) continue;
        accepted.push(method);
        for (const override of overrides) {
          const [key = "", value = ""] = override.split("=", 2);
          const isAdded = key.startsWith("+");
          expect(keys.has(isAdded ? key.slice(1) : key), `${method}: ${override}`).toBe(!isAdded);
          if (key === "algorithm.adv_estimator") expect(estimators, method).toContain(value);
        }
      }
    }
    expect(methodNames.filter((method) => !accepted.includes(method))).toEqual(refused);
  });
});
