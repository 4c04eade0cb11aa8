import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { z } from "zod";
import { type ObjectiveReport, reportObjective } from "#trainer/run/learning/objectiveReport.ts";
import { tokenLosses } from "#trainer/run/learning/tokenLosses.ts";
import { makeRow } from "#trainer/objective/testing/makeRow.ts";
import type { Aggregation } from "#trainer/spec/dimensions.ts";
import { methodOf, type MethodName } from "#trainer/spec/method.ts";
import { split } from "#trainer/spec/rng.ts";
import { RunSpec } from "#trainer/spec/run.ts";
import { settings } from "#packages/trainers/commands/testing/settings.ts";
import { upstreamArguments } from "#packages/trainers/commands/verl/upstream.ts";

const python = process.env["ARLARENA_VERL_PYTHON"] ?? "";
const trees = process.env["ARLARENA_VERL_TREES"] ?? "";
const release = "0.9.1";

/** Reason why the reference losses cannot be computed on this machine; undefined if they can. */
function findMissing(): string | undefined {
  if (python === "" || trees === "") return "ARLARENA_VERL_PYTHON and ARLARENA_VERL_TREES are not set";
  const code = "import torch, hydra, tensordict, codetiming, torchdata, orjson, transformers";
  const { status, stderr } = spawnSync(python, ["-c", code], { encoding: "utf8" });
  return status === 0 ? undefined : (stderr.trim().split("\n").at(-1) ?? "its Python cannot import torch");
}

const missing = findMissing();
/** Methods by their names in papers. TIS and MIS weight and reject tokens by the sampler's probabilities. */
const compared: Readonly<Record<string, MethodName>> = {
  GRPO: "grpo",
  GSPO: "gspo",
  SAPO: "sapo",
  CISPO: "cispo",
  DAPO: "dapoGrpo",
  GMPO: "gmpo",
  "Dr. GRPO": "drGrpo",
  TIS: "grpoTis",
  MIS: "grpoSeqMis",
  IcePop: "icePop",
};
/** Aggregation of methods for which verl has only one. */
const aggregations: Readonly<Record<string, Aggregation>> = { SAPO: "seqMeanTokenMean" };
const [numRows, numTokens, groupSize, numBatches] = [8, 12, 4, 10];

function specOf(title: string, name: MethodName): RunSpec {
  const method = methodOf(name);
  return RunSpec.parse({
    v: 1,
    seed: 3,
    environment: { id: "custom", title: "GSM8K" },
    method: { ...method, aggregation: aggregations[title] ?? method.aggregation, sampling: { kind: "all" } },
    rollout: { numGroups: 64, groupSize: 8, maxResponseTokens: 16 },
    update: { minibatchRows: 128, oldLogProbs: "trainer", klCoef: 0 },
    optimizer: { learningRate: 1e-6 },
  });
}

type Batch = {
  mask: number[][];
  old: number[][];
  new: number[][];
  sampler: number[][];
  groups: number[];
  rewards: number[];
};

/** Makes rows of 1 to 12 tokens, with ratios outside every clip range on both sides. */
function randomBatches(name: string): Batch[] {
  const rng = split(20261125, `batches of ${name}`);
  const rows = Array.from({ length: numRows }, (_, i) => i);
  const tokens = Array.from({ length: numTokens }, (_, i) => i);
  return Array.from({ length: numBatches }, () => {
    const lengths = rows.map(() => 1 + Math.floor(rng.next() * numTokens));
    const around = (matrix: number[][], spread: number) =>
      matrix.map((row) => row.map((x) => Math.min(-1e-3, x + spread * (2 * rng.next() - 1))));
    const old = rows.map(() => tokens.map(() => -0.05 - 3 * rng.next()));
    return {
      mask: rows.map((row) => tokens.map((t) => (t < (lengths[row] ?? 0) ? 1 : 0))),
      old,
      new: around(old, 0.8),
      sampler: around(old, 1.2),
      groups: rows.map((row) => Math.floor(row / groupSize)),
      rewards: rows.map(() => rng.next()),
    };
  });
}

const Results = z.array(
  z.array(
    z.object({
      loss: z.number(),
      gradient: z.array(z.array(z.number())),
      advantages: z.array(z.array(z.number())),
    }),
  ),
);

it.skipIf(missing !== undefined)(
  `losses of ten methods are verl ${release}'s on ten batches each${missing === undefined ? "" : ` (skipped: ${missing})`}`,
  async () => {
    const cases = Object.entries(compared).map(([title, name]) => {
      const spec = specOf(title, name);
      const { overrides, problems } = upstreamArguments(spec, {
        ...settings,
        flavour: "verl",
        version: release,
        gpus: 8,
      });
      expect(problems, title).toEqual([]);
      return { title, spec, overrides, batches: randomBatches(title) };
    });
    const program = fileURLToPath(new URL("testing/losses.py", import.meta.url));
    const { status, stdout, stderr } = spawnSync(python, [program], {
      input: JSON.stringify({ tree: join(trees, release), commands: cases }),
      encoding: "utf8",
      maxBuffer: 1 << 28,
    });
    expect(status, stderr.slice(-3000)).toBe(0);
    const theirs = Results.parse(JSON.parse(stdout.slice(stdout.indexOf("RESULT") + 6)));
    let largest = { loss: 0, gradient: 0 };
    for (const [i, { title, spec, batches }] of cases.entries()) {
      const differences = { loss: 0, gradient: 0, clipped: 0 };
      for (const [k, batch] of batches.entries()) {
        const ours = await reportObjective(toObjective(spec, batch));
        const result = theirs[i]?.[k];
        if (!result) throw new Error(`${title}: no result of batch ${k}`);
        const { loss, gradient, advantages } = result;
        expectClose(ours.advantages.flat(), advantages.flat(), `${title}, advantages of batch ${k}`);
        expectClose([ours.loss.total], [loss], `${title}, loss of batch ${k}`);
        expectClose(ours.gradient.flat(), gradient.flat(), `${title}, gradient of batch ${k}`);
        // Kept groups store the same values token by token.
        const kept = await lossesOf(spec, batch, ours);
        const own = (matrix: number[][]) => matrix.flatMap((row, i) => row.slice(0, lengthOf(batch, i)));
        expectClose(kept.gradients, own(gradient), `${title}, gradients of kept tokens of batch ${k}`);
        expectClose([kept.total], [loss], `${title}, loss of kept tokens of batch ${k}`);
        differences.loss = Math.max(differences.loss, Math.abs(ours.loss.total - loss));
        const apart = ours.gradient.flat().map((x, t) => Math.abs(x - (gradient.flat()[t] ?? NaN)));
        differences.gradient = Math.max(differences.gradient, ...apart);
        expect(Math.abs(loss), `${title}: the loss is not trivial`).toBeGreaterThan(1e-5);
      }
      console.log(
        `${title}: ${differences.loss.toExponential(1)} loss, ${differences.gradient.toExponential(1)} gradient`,
      );
      largest = {
        loss: Math.max(largest.loss, differences.loss),
        gradient: Math.max(largest.gradient, differences.gradient),
      };
    }
    console.log(
      `largest difference: ${largest.loss.toExponential(1)} loss, ${largest.gradient.toExponential(1)} gradient`,
    );
  },
);

const lengthOf = ({ mask }: Batch, row: number): number => (mask[row] ?? []).filter((one) => one === 1).length;

/** Gradients of all tokens, and Σ W·ℓ, as kept groups store them. */
async function lossesOf({ method }: RunSpec, batch: Batch, { weights, advantages, signal, keptRows }: ObjectiveReport) {
  const seen = batch.old.map((old, i) => {
    const cut = (values: readonly number[] = []) => Float32Array.from(values.slice(0, lengthOf(batch, i)));
    return {
      row: { prompt: new Int32Array(1), response: new Int32Array(lengthOf(batch, i)), advantages: cut(advantages[i]) },
      logProbs: cut(batch.new[i]),
      anchorLogProbs: cut(old),
      weights: cut(weights[i]),
      signal: cut(signal?.[i]),
      isKept: keptRows?.[i] ?? true,
    };
  });
  const tokens = await tokenLosses(method, seen);
  const terms = tokens.flatMap(({ losses }, i) => [...losses].map((x, t) => x * (seen[i]?.weights[t] ?? NaN)));
  return { gradients: tokens.flatMap((one) => [...one.gradients]), total: terms.reduce((sum, x) => sum + x, 0) };
}

function toObjective(
  { method, update, rollout, reward }: RunSpec,
  batch: Batch,
): Parameters<typeof reportObjective>[0] {
  const flat = (matrix: number[][]) => Float64Array.from(matrix.flat());
  const rows = batch.rewards.map((score, i) =>
    makeRow({
      group: batch.groups[i] ?? 0,
      episode: i,
      reward: score,
      episodeReward: score,
      numTokens: (batch.mask[i] ?? []).filter((one) => one === 1).length,
    }),
  );
  return {
    method,
    update: { ...update, truncatedImportance: update.truncatedImportance, denominatorRows: null },
    maxResponseTokens: rollout.maxResponseTokens,
    seed: 0,
    shape: [numRows, numTokens],
    mask: Uint8Array.from(batch.mask.flat()),
    logProbs: flat(batch.new),
    oldLogProbs: flat(batch.old),
    samplerLogProbs: flat(batch.sampler),
    credit: { kind: "rows", rows, reward: { ...reward, invalidActionPenalty: 0 } },
  };
}

/** The studio's values are in single precision, verl's in double precision. */
function expectClose(actual: readonly number[], expected: readonly number[], what: string): void {
  expect(actual.length, what).toBe(expected.length);
  for (const [i, x] of expected.entries()) {
    expect(Math.abs((actual[i] ?? NaN) - x), `${what}, element ${i}: ${actual[i]} is not ${x}`).toBeLessThan(1e-6);
  }
}
