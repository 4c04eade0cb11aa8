import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { RunSpec } from "#trainer/spec/run.ts";
import { expandPlan } from "#server/domain/plan/sweep/expand/expand.ts";
import { parsePlan } from "#server/domain/plan/sweep/plan.ts";
import { readOptions } from "#packages/trainers/commands/fillIn.ts";
import { verlArguments } from "#packages/trainers/commands/resolveTemplate.ts";
import { mathOptions } from "#packages/trainers/commands/verl/math.ts";
import { everywhere, reasons, remaining } from "./testing/scriptDifferences.ts";
import { settings } from "#packages/trainers/commands/testing/settings.ts";

const folder = process.env["ARLARENA_REFERENCE"] ?? "../shared/reference";
const files = ["configs.json", "scripts.json"].map((name) => join(folder, name));
const isThere = files.every((file) => existsSync(file));
const Settings = z.record(z.string(), z.unknown());
const Reference = z.object({
  recipes: z.record(z.string(), Settings).default({}),
  scripts: z.record(z.string(), z.object({ module: z.string().nullish(), settings: Settings })).default({}),
});
const [configurations, scripts] = files.map((file) =>
  Reference.parse(isThere ? JSON.parse(readFileSync(file, "utf8")) : {}),
);

const presets = [
  ["arlarena-alfworld", "arlarena:recipe/world_agent/config/alfworld_"],
  ["arlarena-webshop", "arlarena:recipe/shop_agent/config/webshop_"],
  ["arlarena-math", "arlarena:recipe/math_agent/config/math_agent_trainer"],
  ["arlarena-sokoban", "arlarena:recipe/game_agent/config/game_"],
  ["search", "arlarena:recipe/search_agent/config/search_"],
] as const;
/** Runs of presets for which no script is published. */
const unpublished = ["arlarena-sokoban GRPO"];
const fileOf = (name: string): URL =>
  name === "search"
    ? new URL("testing/search.yaml", import.meta.url)
    : new URL(`../../../../../public/presets/${name}.yaml`, import.meta.url);

/** Normalises a value as Hydra parses it: 1.0 is 1, True is true. */
function normal(value: unknown): string {
  if (value === undefined) return "absent";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const number = Number(text);
  return text !== "" && Number.isFinite(number) ? String(number) : text.toLowerCase();
}

/** Lists the settings that differ between a preset's run and the published script, applied to the configuration. */
function differencesFrom(spec: RunSpec, configuration: z.infer<typeof Settings>, theirs: z.infer<typeof Settings>) {
  const options = readOptions(mathOptions, spec.trainer?.options ?? {});
  const recipe = spec.trainer?.name === "search" ? { recipe: "search" as const } : {};
  const { overrides, problems } = verlArguments(spec, { ...settings, options, ...recipe });
  expect(problems).toEqual([]);
  const ours = Object.fromEntries(overrides.map((one) => one.replace(/^\+/, "").split(/=(.*)/s, 2)));
  const published = Object.fromEntries(Object.entries(theirs).map(([key, value]) => [key.replace(/^\+/, ""), value]));
  const [a, b] = [
    { ...configuration, ...ours },
    { ...configuration, ...published },
  ];
  return Object.keys({ ...a, ...b })
    .filter((key) => normal(Reflect.get(a, key)) !== normal(Reflect.get(b, key)))
    .filter((key) => !Object.hasOwn(everywhere, key))
    .toSorted()
    .map((key) => `${key}: ${normal(Reflect.get(a, key))}, published ${normal(Reflect.get(b, key))}`);
}

describe.skipIf(!isThere).each(presets)("%s (needs the reference folder)", (name, recipe) => {
  const text = readFileSync(fileOf(name), "utf8");
  const cells = expandPlan(parsePlan(text)).cells;

  it("is the published scripts, but for what is listed with its reason", () => {
    const found = Object.fromEntries(
      cells
        .filter(({ method }) => !unpublished.includes(`${name} ${method}`))
        .map(({ method, spec }) => {
          const script = remaining[name][method]?.script ?? "";
          const theirs = scripts?.scripts[script];
          expect(theirs, `${method}: ${script}`).toBeDefined();
          const run = RunSpec.parse({ ...spec, v: 1, seed: 0 });
          return [method, differencesFrom(run, configurations?.recipes[recipe] ?? {}, theirs?.settings ?? {})];
        }),
    );
    const listed = Object.entries(remaining[name]).map(([method, { differences }]) => [method, [...differences]]);
    for (const text of Object.values(found).flat()) expect(reasons).toHaveProperty([text.slice(0, text.indexOf(":"))]);
    expect(found).toEqual(Object.fromEntries(listed));
  });
});
