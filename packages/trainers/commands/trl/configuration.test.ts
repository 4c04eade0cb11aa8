import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { methodNames, methodOf } from "#trainer/spec/method.ts";
import { RunSpec } from "#trainer/spec/run.ts";
import { trlArguments } from "./arguments.ts";

/** File with all fields of TRL's GRPOConfig. */
const file = join(process.env["ARLARENA_REFERENCE"] ?? "../shared/reference", "trl-grpo-config.json");
const Reference = z.object({ version: z.string(), fields: z.record(z.string(), z.unknown()) });
/** Python command with the package `trl`. */
const python = process.env["ARLARENA_TRL_PYTHON"];

const changes = [
  {},
  { rollout: { groupSize: 5, numGroups: 6 }, update: { minibatchRows: 15, epochs: 2 } },
  { update: { oldLogProbs: "trainer", truncatedImportance: 2, entropyCoef: 0.001 } },
  { update: { klCoef: 0 }, execution: { checkpointEvery: 0 } },
];
const variants = [
  { ...methodOf("grpo"), aggregation: "seqMeanTokenSum" },
  { ...methodOf("sapo"), aggregation: "seqMeanTokenMean" },
];

/** Arguments of every method that TRL supports, with every change applied. */
const accepted = [...methodNames.map(methodOf), ...variants].flatMap((method) =>
  changes.flatMap((change) => {
    const spec = RunSpec.parse({ v: 1, seed: 0, environment: { id: "sokoban" }, method, ...change });
    const { arguments: given, problems } = trlArguments(spec, { outputFolder: "/tmp/out", processes: 1 });
    return problems.length === 0 ? [given] : [];
  }),
);
const losses = new Set(accepted.map((given) => given[given.indexOf("--loss_type") + 1] ?? ""));

describe.skipIf(!existsSync(file))("arguments against TRL's configuration (needs the reference folder)", () => {
  it("each is a field, and every loss of TRL but one is asked for by some method", () => {
    const { fields } = Reference.parse(JSON.parse(readFileSync(file, "utf8")));
    const names = accepted.flatMap((given) => given.filter((one) => one.startsWith("--")).map((one) => one.slice(2)));
    expect([...new Set(names)].filter((name) => !Object.hasOwn(fields, name))).toEqual([]);
    expect(accepted.length).toBeGreaterThan(20);
    // The list lacks `bnpo`, a mean over a micro-batch's tokens.
    expect([...losses].toSorted((a, b) => a.localeCompare(b))).toEqual([
      "cispo",
      "dapo",
      "dr_grpo",
      "grpo",
      "luspo",
      "sapo",
      "vespo",
    ]);
  });
});

describe.skipIf(!python)(
  "TRL's own configuration (skipped unless ARLARENA_TRL_PYTHON names a Python that has trl)",
  () => {
    it("takes every command", () => {
      const program = [
        "import json, sys",
        "from transformers import HfArgumentParser",
        "from trl import GRPOConfig",
        "for given in json.load(sys.stdin):",
        "    (config,) = HfArgumentParser(GRPOConfig).parse_args_into_dataclasses([*given, '--use_cpu'])",
        "    print(config.loss_type, config.generation_batch_size, config.steps_per_generation)",
      ].join("\n");
      const { status, stdout, stderr } = spawnSync(python ?? "", ["-c", program], {
        input: JSON.stringify(accepted),
        encoding: "utf8",
      });
      expect(status, stderr.slice(-2000)).toBe(0);
      expect(stdout.trim().split("\n")).toHaveLength(accepted.length);
    });
  },
);
