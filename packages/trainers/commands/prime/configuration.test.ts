import { spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { methodNames, methodOf, type Method } from "#trainer/spec/method.ts";
import { RunSpec } from "#trainer/spec/run.ts";
import { formatIssue } from "#packages/base";
import { primeArguments } from "./arguments.ts";

/** Python command with the module `prime_rl.configs` (package prime-rl-configs). */
const python = process.env["ARLARENA_PRIME_RL_PYTHON"];

/** Changes that match a step of prime-rl: one update without a KL penalty. */
const plain = { update: { klCoef: 0, minibatchRows: 128 } };
const specOf = (method: Method, change: object = plain) =>
  RunSpec.parse({ v: 1, seed: 3, environment: { id: "tirMath" }, method, ...change });
const translate = (method: Method, change?: object, hasEvaluations = true) =>
  primeArguments(specOf(method, change), { outputFolder: "/r/1/output", hasEvaluations });
const unscaled = { kind: "group", scale: "none", samples: "episodes" } as const;
const [primeRl, ipo] = [methodOf("primeRl"), methodOf("ipo")].map((method): Method => ({
  ...method,
  aggregation: "tokenMean",
  advantage: unscaled,
})) as [Method, Method];

const asked: readonly [Method, object][] = [
  [primeRl, plain],
  [ipo, plain],
  [{ ...primeRl, advantage: { kind: "maxRl" } }, plain],
  [{ ...primeRl, sampling: { kind: "minSpread", spread: 0 } }, plain],
  [primeRl, { ...plain, rollout: { lag: { kind: "geometric", mean: 2, max: 6, discardBeyond: 4 }, temperature: 0.7 } }],
  [primeRl, { ...plain, optimizer: { maxGradientNorm: 0, learningRate: 1e-6 }, execution: { checkpointEvery: 0 } }],
  [primeRl, { ...plain, evaluation: { samplesPerTask: 4, temperature: 0, topP: 0.9, topK: 0 } }],
];
const commands = asked.map(([method, change]) => {
  const { arguments: given, problems } = translate(method, change);
  return { given, problems: problems.map(formatIssue) };
});

describe("prime-rl's configuration for a method", () => {
  it("is made of every plan that it has a loss of", () => {
    expect(commands.flatMap(({ problems }) => problems)).toEqual([]);
    const named = methodNames.filter((name) => translate(methodOf(name)).problems.length === 0);
    // prime-rl does not divide the rewards of a group by their standard deviation.
    expect(named).toMatchInlineSnapshot(`[]`);
  });

  it("has the mask of either loss, and an old row's bound", () => {
    expect(commands[0]?.given.join(" ")).toContain(
      "--trainer.loss.type default --trainer.loss.dppo-mask-low 0.2 --trainer.loss.dppo-mask-high 0.2 --trainer.loss.kl-tau 1e-3",
    );
    expect(commands[1]?.given.join(" ")).toContain("--trainer.loss.type ipo --trainer.loss.ipo-threshold 0.1");
    expect(commands[4]?.given.join(" ")).toContain("--orchestrator.max-off-policy-steps 4");
    expect(commands[5]?.given.join(" ")).toContain("--trainer.optim.max-norm None");
  });

  it.each<[what: string, method: Method, change: object, problem: string]>([
    ["a clip range", methodOf("grpo"), plain, "method.clipping.kind: prime-rl has no token clipping"],
    [
      "a scaled advantage",
      { ...primeRl, advantage: { ...unscaled, scale: "groupStd" } },
      plain,
      "method.advantage.scale: groupStd is refused",
    ],
    ["two minibatches", primeRl, { update: { klCoef: 0, minibatchRows: 64 } }, "update.minibatchRows: 64 is refused"],
    [
      "a KL to the reference",
      primeRl,
      { update: { klCoef: 0.1, minibatchRows: 128 } },
      "update.klCoef: 0.1 is refused",
    ],
    [
      "a mean over rows",
      { ...primeRl, aggregation: "seqMeanTokenMean" },
      plain,
      "method.aggregation: seqMeanTokenMean is refused",
    ],
    [
      "two bounds of IPO",
      { ...ipo, clipping: { ...ipo.clipping, low: 0.3 } as Method["clipping"] },
      plain,
      "method.clipping.low: 0.3 beside 0.1",
    ],
  ])("refuses %s at its field", (_, method, change, problem) => {
    expect(translate(method, change).problems.map(formatIssue).join("\n")).toContain(problem);
  });

  it("says that a file without evaluations has none to set, and that there is no seed", () => {
    const { arguments: given, notes } = translate(primeRl, { ...plain, evaluation: { every: 7 } }, false);
    expect(given.join(" ")).not.toContain("eval");
    expect(notes.map(formatIssue).join("\n")).toMatch(/evaluation.every: 7 is not passed[^]*seed: 3 is not passed/);
  });
});

describe.skipIf(!python)(
  "prime-rl's own configuration (needs ARLARENA_PRIME_RL_PYTHON, a Python that has prime-rl-configs)",
  () => {
    it("takes every command", () => {
      const file = join(mkdtempSync(join(tmpdir(), "prime-")), "rl.toml");
      const source = (name: string) =>
        `[[orchestrator.${name}.source]]\nname = "a"\n[orchestrator.${name}.source.env.taskset]\nid = "harbor"\n`;
      writeFileSync(file, `seq_len = 2048\n[ckpt]\n[inference]\n${source("train")}${source("eval")}`);
      const program = [
        "import json, sys",
        "from prime_rl.configs.rl import RLConfig",
        "from prime_rl.utils.config import cli",
        "out = []",
        "for given in json.load(sys.stdin):",
        `    config = cli(RLConfig, args=['@', ${JSON.stringify(file)}, *given])`,
        "    out.append({'loss': config.trainer.loss.type, 'steps': config.max_steps, 'oldest': config.orchestrator.max_off_policy_steps})",
        "print('RESULT' + json.dumps(out))",
      ].join("\n");
      const { status, stdout, stderr } = spawnSync(python ?? "", ["-c", program], {
        input: JSON.stringify(commands.map(({ given }) => given)),
        encoding: "utf8",
      });
      expect(status, stderr.slice(-3000)).toBe(0);
      const Read = z.array(z.object({ loss: z.string(), steps: z.literal(200), oldest: z.number() }));
      const read = Read.parse(JSON.parse(stdout.slice(stdout.indexOf("RESULT") + 6)));
      expect(read.map(({ loss }) => loss)).toEqual([
        "default",
        "ipo",
        "default",
        "default",
        "default",
        "default",
        "default",
      ]);
      expect(read[4]?.oldest).toBe(4);
    });
  },
);
