import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { isMethodName, methodNames, methodOf, type MethodName } from "#trainer/spec/method.ts";
import { offPolicyMethods } from "#trainer/spec/methods/offPolicy.ts";
import { RunSpec } from "#trainer/spec/run.ts";
import type { EnvironmentId } from "#trainer/spec/environment.ts";
import { expandPlan } from "#server/domain/plan/sweep/expand/expand.ts";
import { parsePlan } from "#server/domain/plan/sweep/plan.ts";
import { readOptions } from "#packages/trainers/commands/fillIn.ts";
import { verlArguments } from "#packages/trainers/commands/resolveTemplate.ts";
import { mathOptions } from "#packages/trainers/commands/verl/math.ts";
import type { VerlSettings } from "#packages/trainers/commands/verl/run.ts";
import { settings } from "#packages/trainers/commands/testing/settings.ts";

/** Configurations of ARLArena's recipes as composed by their loader, and the advantage estimators of their trainers. */
const file = join(process.env["ARLARENA_REFERENCE"] ?? "../shared/reference", "configs.json");
const Composed = z.object({
  recipes: z.record(z.string(), z.record(z.string(), z.unknown())),
  advantageEstimators: z.record(z.string(), z.array(z.string())),
});

type Case = { recipe: string; estimators: string | readonly string[]; id: EnvironmentId; refused: MethodName[] };

/** Values for recipes that the reference does not contain, from the code of their trainers. */
const ofSearch = [
  "gae",
  "gigpo",
  "grpo",
  "grpo_passk",
  "reinforce_plus_plus",
  "reinforce_plus_plus_baseline",
  "remax",
  "rloo",
];
const ofMath = [...ofSearch.filter((name) => name !== "gigpo"), "aepo", "cispo", "dapo", "drgrpo", "gspo", "sapo"];
const offPolicy = Object.keys(offPolicyMethods).filter(isMethodName);
const dynamic: MethodName[] = ["dapoGrpo", "dapoGigpo", "sampo"];
const recipes: [name: string, of: Case, change: Partial<VerlSettings>][] = [
  [
    "ALFWorld",
    {
      recipe: "arlarena:recipe/world_agent/config/alfworld_",
      estimators: "world_agent",
      id: "alfworld",
      refused: offPolicy,
    },
    {},
  ],
  [
    "WebShop",
    {
      recipe: "arlarena:recipe/shop_agent/config/webshop_",
      estimators: "shop_agent",
      id: "webshop",
      refused: offPolicy,
    },
    {},
  ],
  [
    "Sokoban",
    {
      recipe: "arlarena:recipe/game_agent/config/game_",
      estimators: "game_agent",
      id: "sokoban",
      refused: ["drGrpo", "empg", ...offPolicy],
    },
    {},
  ],
  [
    "search",
    {
      recipe: "arlarena:recipe/search_agent/config/search_",
      estimators: ofSearch,
      id: "textworld",
      refused: ["drGrpo", "empg", ...offPolicy],
    },
    { recipe: "search" },
  ],
  [
    "mathematics",
    {
      recipe: "arlarena:recipe/math_agent/config/math_agent_trainer",
      estimators: ofMath,
      id: "tirMath",
      refused: ["gigpo", "empg", ...dynamic, ...offPolicy],
    },
    {},
  ],
  [
    "mathematics by SimpleTIR",
    {
      recipe: "arlarena:recipe/math_agent/config/simpletir_trainer",
      estimators: ofMath,
      id: "tirMath",
      refused: ["gigpo", "empg", ...dynamic, ...offPolicy],
    },
    { options: readOptions(mathOptions, { trainer: "simpletir" }) },
  ],
];

const changes = [
  {},
  { update: { klPlacement: "reward", klEstimator: "k1", klTarget: 0.1 } },
  { update: { oldLogProbs: "trainer", truncatedImportance: 2 } },
  { rollout: { shape: "transcript" }, update: { klEstimator: "k3+" }, optimizer: { beta2: 0.95, epsilon: 1e-6 } },
];

describe.skipIf(!existsSync(file))("overrides against the composed configurations (needs the reference folder)", () => {
  const { recipes: configurations, advantageEstimators } = existsSync(file)
    ? Composed.parse(JSON.parse(readFileSync(file, "utf8")))
    : { recipes: {}, advantageEstimators: {} };

  it.each(recipes)("%s: every key is there or added, every estimator known", (_, of, change) => {
    const { id, refused } = of;
    const keys = new Set(Object.keys(configurations[of.recipe] ?? {}));
    const estimators = typeof of.estimators === "string" ? advantageEstimators[of.estimators] : of.estimators;
    expect(keys.size).toBeGreaterThan(400);
    const accepted: string[] = [];
    for (const method of methodNames) {
      for (const part of changes) {
        const spec = RunSpec.parse({ v: 1, seed: 0, environment: { id }, method: methodOf(method), ...part });
        const { overrides, problems } = verlArguments(spec, { ...settings, ...change });
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

  it.each(["arlarena-table2", "arlarena-table4", "arlarena-table5"])(
    "%s: no cell is refused, no two are alike",
    (name) => {
      const preset = new URL(`../../../../../public/presets/${name}.yaml`, import.meta.url);
      const keys = new Set(Object.keys(configurations["arlarena:recipe/world_agent/config/alfworld_"] ?? {}));
      const commands = expandPlan(parsePlan(readFileSync(preset, "utf8"))).cells.map(({ spec }) => {
        const { overrides, problems } = verlArguments(RunSpec.parse({ ...spec, v: 1, seed: 0 }), settings);
        expect(problems).toEqual([]);
        for (const override of overrides) {
          const key = override.split("=", 1)[0] ?? "";
          expect(keys.has(key.replace(/^\+/, "")), override).toBe(!key.startsWith("+"));
        }
        return overrides.join(" ");
      });
      expect(new Set(commands).size).toBe(commands.length);
    },
  );
});
