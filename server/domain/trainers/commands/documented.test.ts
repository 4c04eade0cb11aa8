import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { methodOf } from "#trainer/spec/method.ts";
import { RunSpec } from "#trainer/spec/run.ts";
import { expandPlan } from "#server/domain/plan/sweep/expand/expand.ts";
import { parsePlan } from "#server/domain/plan/sweep/plan.ts";
import { resolveTemplate } from "#packages/trainers/commands/resolveTemplate.ts";
import { TrainersFile } from "#packages/trainers/commands/template.ts";

const text = readFileSync(new URL("../../../../docs/trainers.md", import.meta.url), "utf8");
const blocks = [...text.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, yaml = ""]) => yaml);
const [ours = "", others = ""] = blocks.filter((block) => block.startsWith("trainers:"));
const planText = blocks.find((block) => block.startsWith("name:")) ?? "";
const paths = { folder: "/r/1", runFolder: "/r", run: "r", attempt: 1, home: "/home/me" };
const { cells } = expandPlan(parsePlan(planText));
const given: Readonly<Record<string, Record<string, string>>> = {
  openrlhf: { model: "M", data: "D" },
  roll: { config: "agentic_val_sokoban" },
};

const withoutKl = { klCoef: 0, minibatchRows: 128 };
/** Settings that the trainers require: AReaL's KL is part of the reward; prime-rl has no KL and its own losses. */
const asked: Readonly<Record<string, object>> = {
  areal: { update: withoutKl },
  "prime-rl": {
    update: withoutKl,
    method: { ...methodOf("primeRl"), advantage: { kind: "group", scale: "none", samples: "episodes" } },
  },
};

/** Commands of each trainer for the documented plan, with a documented trainer file. */
function commandsOf(yaml: string): Record<string, string[][]> {
  const { trainers } = TrainersFile.parse(parse(yaml));
  const commandOf = (name: string) =>
    cells.map(({ spec }) => {
      const trainer = { name, options: given[name] ?? {} };
      return resolveTemplate(trainers, RunSpec.parse({ ...spec, ...asked[name], v: 1, seed: 1, trainer }), paths).argv;
    });
  return Object.fromEntries(Object.keys(trainers).map((name) => [name, commandOf(name)]));
}

it("the documented files are files that work", () => {
  expect(cells).toHaveLength(2);
  for (const argv of Object.values(commandsOf(ours)).flat()) expect(argv.length).toBeGreaterThan(4);
  expect(Object.keys(commandsOf(others))).toEqual(["openrlhf", "skyrl", "slime", "nemo-rl", "roll"]);
  expect(Object.keys(commandsOf(ours))).toEqual(["mine", "arlarena", "trl", "areal", "prime-rl"]);
});

const file = join(process.env["ARLARENA_REFERENCE"] ?? "../shared/reference", "trainers.json");
const Sources = z.object({
  trainers: z.array(
    z.object({
      id: z.string(),
      launch: z.object({ command: z.string() }),
      config: z.record(
        z.string(),
        z.array(z.object({ key: z.string().nullable(), values: z.array(z.string()).nullable() })),
      ),
    }),
  ),
});

/** Options for launching and documentation, which are not settings. */
const beside = new Set(["--output-dir", "--run.name", "--config"]);

describe.skipIf(!existsSync(file))(
  "documented commands against the trainers' sources (needs the reference folder)",
  () => {
    const { trainers } = existsSync(file) ? Sources.parse(JSON.parse(readFileSync(file, "utf8"))) : { trainers: [] };

    it.each(Object.entries(commandsOf(others)))(
      "%s has every flag that its command names, and every choice",
      (id, commands) => {
        const source = trainers.find((one) => one.id === id);
        if (!source) throw new Error(`the sources of ${id} are not there`);
        const keys = Object.values(source.config).flat();
        for (const argv of commands) {
          const settings = argv.filter((one) => /^--[a-z]|^[a-z_.]+=/.test(one)).map((one) => one.split("="));
          expect(settings.length).toBeGreaterThan(1);
          for (const [name = "", value] of settings) {
            // Flags of prime-rl are paths in its TOML file, with hyphens for underscores.
            const setting = name.replace(/^--/, "").replaceAll("-", "_");
            const known = keys.filter(({ key }) => key?.replace(/^--/, "").replaceAll("-", "_") === setting);
            const isLaunch = source.launch.command.includes(name) || beside.has(name);
            expect([name, known.length > 0 || isLaunch]).toEqual([name, true]);
            const choices = known.flatMap(({ values }) => values ?? []);
            if (value !== undefined && choices.length > 0) expect(choices).toContain(value);
          }
        }
      },
    );

    it("and the method's own clip range, whatever that trainer calls it", () => {
      const withRange = Object.entries(commandsOf(others)).filter(([, commands]) =>
        /0\.2.*0\.2/.test(commands[0]?.join(" ") ?? ""),
      );
      expect(withRange.map(([name]) => name)).toEqual(["openrlhf", "skyrl", "slime", "nemo-rl"]);
    });
  },
);
