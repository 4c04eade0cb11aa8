import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { readOffPolicyVectors } from "#trainer/objective/testing/offPolicyVectors.ts";
import { readVectors } from "#trainer/objective/testing/vectors.ts";
import { methods } from "#trainer/spec/method.ts";
import { evaluateBatch } from "./evaluateBatch.ts";

const folder = await mkdtemp(join(tmpdir(), "arlarena-objective-"));
afterAll(() => rm(folder, { recursive: true }));

let numFiles = 0;
async function write(content: unknown): Promise<string> {
  const path = join(folder, `${numFiles++}.json`);
  await writeFile(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

const Matrix = z.array(z.array(z.number()));
const Report = z.object({
  aggregation: z.string(),
  loss: z.record(z.string(), z.number()),
  gradient: Matrix,
  advantages: Matrix,
  keptRows: z.array(z.boolean()).optional(),
  diagnostics: z.record(z.string(), z.number()),
  notes: z.array(z.string()).optional(),
});

async function report(content: unknown): Promise<z.infer<typeof Report>> {
  const { text, exitCode } = await evaluateBatch(await write(content));
  expect(exitCode, text).toBe(0);
  return Report.parse(JSON.parse(text));
}

/** Replaces every number by a matcher that tolerates rounding. */
function nearly(x: unknown, digits = 6): unknown {
  if (typeof x === "number") return expect.closeTo(x, digits);
  if (Array.isArray(x)) return x.map((item) => nearly(item, digits));
  if (typeof x !== "object" || x === null) return x;
  return Object.fromEntries(Object.entries(x).map(([key, value]) => [key, nearly(value, digits)]));
}

it("the example of the documentation gives the answer of the documentation", async () => {
  const page = await readFile(join(import.meta.dirname, "../../../../docs/objective.md"), "utf8");
  const [question = "", answer = ""] = [...page.matchAll(/```json\n(.*?)```/gs)].map(([, block]) => block);
  const { text } = await evaluateBatch(await write(question));
  expect(JSON.parse(text)).toEqual(nearly(JSON.parse(answer)));
});

const batch = {
  method: "grpo",
  mask: [
    [1, 1],
    [1, 0],
  ],
  old: [
    [-1, -1],
    [-1, 0],
  ],
  new: [
    [-1.1, -0.9],
    [-1, 0],
  ],
  adv_seq: [1, -1],
};

describe("bad input is an error with field, value and limit", () => {
  const { adv_seq: _, ...withoutAdvantages } = batch;
  const task = { group: 0, reward: 1 };
  it.each<[string, unknown, string]>([
    ["not JSON", "{nope", "the file is not JSON"],
    ["NaN", '{"method": "grpo", "mask": [[NaN]]}', "JSON has no NaN"],
    ["a list", [], "must be a mapping of keys to values"],
    ["an unknown method", { ...batch, method: "grop" }, 'method: unknown value "grop"; did you mean "grpo"?'],
    [
      "an unknown kind",
      { ...batch, method: { aggregation: "tokenMean", clipping: { kind: "tokn", low: 0.2, high: 0.2 } } },
      'method.clipping.kind: unknown value "tokn"; did you mean "token"?',
    ],
    [
      "a range beyond its limit",
      { ...batch, method: { aggregation: "tokenMean", clipping: { kind: "token", low: 2, high: 0.2 } } },
      "method.clipping.low: is 2, must be at most 1",
    ],
    ["a misspelt key", { ...batch, klCoeff: 1 }, "klCoeff: unknown key; did you mean klCoef?"],
    ["a missing matrix", { ...batch, new: undefined }, "new: is missing"],
    ["no rows", { ...batch, mask: [] }, "mask: has 0 entries, must have at least 1"],
    [
      "a text in a matrix",
      {
        ...batch,
        old: [
          [-1, "x"],
          [-1, 0],
        ],
      },
      'old[0][1]: is "x", must be a number',
    ],
    [
      "a hole in a matrix",
      {
        ...batch,
        old: [
          [-1, null],
          [-1, 0],
        ],
      },
      "old[0][1]: is null, must be a number",
    ],
    [
      "a number too large",
      {
        ...batch,
        new: [
          [-1e7, 0],
          [-1, 0],
        ],
      },
      "new[0][0]: is -10000000, must be at least -1000000",
    ],
    [
      "a mask of shares",
      {
        ...batch,
        mask: [
          [1, 0.5],
          [1, 0],
        ],
      },
      "mask[0][1]: is 0.5, must be 0 or 1",
    ],
    ["too few rows", { ...batch, new: [[-1, -1]] }, "new: has 1 rows, must be 2, as many as mask"],
    ["too few tokens", { ...batch, new: [[-1, -1], [-1]] }, "new[1]: has 1 token, must be 2, as many as mask[0]"],
    ["too few advantages", { ...batch, adv_seq: [1] }, "adv_seq: has 1 entry, must be 2"],
    ["no advantages", withoutAdvantages, "adv_seq: is missing"],
    ["two kinds of advantages", { ...batch, adv: batch.new }, "adv: is given in addition to adv_seq"],
    ["a KL without a reference", { ...batch, klCoef: 0.1 }, "ref: is missing: klCoef 0.1 reads it"],
    ["a coefficient beyond its limit", { ...batch, klCoef: -1 }, "klCoef: is -1, must be at least 0"],
    ["a bonus without entropies", { ...batch, entropyCoef: 0.1 }, "newEntropy: is missing"],
    ["AEPO without entropies", { ...batch, method: "aepo" }, "newEntropy: is missing: clipping aepo reads it"],
    ["truncation without a sampler", { ...batch, truncatedImportance: 2 }, "sampler: is missing"],
    [
      "a two-sided clip below the clip range",
      {
        ...batch,
        method: {
          aggregation: methods.grpo.aggregation,
          advantage: methods.grpo.advantage,
          sampling: methods.grpo.sampling,
          clipping: { kind: "token", low: 0.2, high: 0.28, dual: null, twoSided: 1.2 },
        },
      },
      "method.clipping.twoSided: is 1.2, must be at least 1.28",
    ],
    ["GMPO by parts", { ...batch, method: "gmpo", denominatorRows: 1 }, "denominatorRows: is 1, but"],
    [
      "a straight-through KL in the reward",
      { ...batch, klPlacement: "reward", klEstimator: "k3+" },
      'klEstimator: is "k3+"',
    ],
    [
      "a KL in a reward that is not given",
      { ...batch, klPlacement: "reward", klCoef: 1, ref: batch.old },
      'klPlacement: is "reward", but',
    ],
    [
      "GiGPO without anchors",
      { ...withoutAdvantages, method: "gigpo", rows: [task, task] },
      "rows[0].anchor: is missing",
    ],
    ["PPO without values", { ...withoutAdvantages, method: "ppo", rows: [task, task] }, "values: is missing"],
    ["more positions than the limit", { ...batch, mask: Array(1001).fill(Array(1000).fill(1)) }, "at most 1000000"],
  ])("%s", async (_, content, message) => {
    const { text, json, exitCode } = await evaluateBatch(await write(content));
    expect(exitCode).toBe(2);
    expect(text).toContain(message);
    expect(json).toHaveProperty("error.code", "bad_input");
  });

  it("a thousand problems are twenty lines and a count", async () => {
    const { text } = await evaluateBatch(await write({ ...batch, mask: [Array(1000).fill(2)], adv_seq: [1] }));
    expect(text.split("\n")).toHaveLength(21);
    expect(text).toMatch(/… and \d+ more problems$/);
  });

  it("a file that is not there", async () => {
    const { text, exitCode } = await evaluateBatch(join(folder, "absent.json"));
    expect([exitCode, text]).toEqual([2, expect.stringContaining("there is no file")]);
  });
});

it("a log-probability above 0 is noted, not refused", async () => {
  const { notes } = await report({
    ...batch,
    new: [
      [0.25, -1],
      [-1, 9],
    ],
  });
  expect(notes).toEqual(["new has 1 log-probabilities above 0, the largest 0.25"]);
});

it("advantages by token are those by row where they are equal", async () => {
  const { adv_seq: _, ...rest } = batch;
  const [byRow, byToken] = [
    await report(batch),
    await report({
      ...rest,
      adv: [
        [1, 1],
        [-1, 5],
      ],
    }),
  ];
  expect(byToken).toEqual(byRow);
});

const vectors = readVectors();
const { inputs, cases, advantages: golden } = vectors;
const sequenceMaskOf = (delta: number | undefined) => (delta === undefined ? null : { delta });
const aggregations: Record<string, string> = {
  "token-mean": "tokenMean",
  "seq-mean-token-mean": "seqMeanTokenMean",
  "seq-mean-token-sum": "seqMeanTokenSum",
  "seq-mean-token-sum-norm": "seqMeanTokenSumNorm",
};

describe("golden losses, from a file", () => {
  it.each(cases)("$name", async ({ name, agg, params: { lo, hi }, seq_mask_delta, loss, grad, dropped_rows = [] }) => {
    const sequenceMask = sequenceMaskOf(seq_mask_delta);
    const kind = name.split(/[/_ ]/)[0];
    const clipping =
      kind === "CISPO"
        ? { ...methods.cispo.clipping, sequenceMask }
        : kind === "SAPO"
          ? { ...methods.sapo.clipping, sequenceMask }
          : kind === "GSPO"
            ? { ...methods.gspo.clipping, low: lo ?? 3e-3, high: hi ?? 4e-3 }
            : { ...methods.grpo.clipping, low: lo ?? 0.2, high: hi ?? 0.2, sequenceMask };
    const actual = await report({ ...inputs, method: { aggregation: aggregations[agg], clipping } });
    // The released code's seq-mean-token-sum-norm lacks the factor 1/B of the paper.
    const scale = agg === "seq-mean-token-sum-norm" ? inputs.mask.length : 1;
    expect((actual.loss["total"] ?? NaN) * scale).toBeCloseTo(loss, 6);
    expect(actual.gradient.map((row) => row.map((x) => x * scale))).toEqual(nearly(grad));
    const dropped = (actual.keptRows ?? []).flatMap((isKept, row) => (isKept ? [] : [row]));
    expect(dropped).toEqual(dropped_rows);
  });
});

describe("golden advantages, from rewards with groups", () => {
  const ones = golden.uid.map(() => [-1]);
  const file = {
    mask: golden.uid.map(() => [1]),
    old: ones,
    new: ones,
    rows: golden.uid.map((group, i) => ({
      group,
      episode: golden.traj[i],
      anchor: golden.anchor_obs[i],
      reward: golden.step_reward[i],
      isValid: golden.valid[i] === 1,
      entropy: golden.turn_entropy[i],
    })),
  };
  const free = { aggregation: "tokenMean", clipping: methods.grpo.clipping };
  it.each([
    ["grpo", "grpo", golden.grpo_cross_steps],
    ["drGrpo", "drGrpo", golden.grpo_no_std],
    ["per episode", { ...free, advantage: { kind: "group", samples: "episodes" } }, golden.grpo_per_trajectory],
    ["rloo", "rloo", golden.rloo_rows],
    ["gigpo", "gigpo", golden.gigpo_mean_std_norm],
    ["gigpo, mean only", { ...free, advantage: { kind: "gigpo", scale: "none" } }, golden.gigpo_mean_norm],
    ["empg", "empg", golden.empg_adv],
  ])("%s", async (_, method, expected) => {
    const { advantages } = await report({ ...file, method });
    expect(advantages.flat()).toEqual(nearly(expected, 5.6));
  });
});

it("as a command: JSON alone on standard output, exit codes 0 and 2, without studio or database", async () => {
  const command = join(import.meta.dirname, "../../arlarena.mjs");
  const run = (path: string, ...flags: string[]): Promise<{ code: number; stdout: string; stderr: string }> =>
    new Promise((resolve) => {
      const env = { ...process.env, DATABASE_URL: "postgresql://x:y@127.0.0.1:1/z", ARLARENA_HOME: folder };
      const child = execFile(process.execPath, [command, "objective", path, ...flags], { env }, (_, stdout, stderr) =>
        resolve({ code: child.exitCode ?? -1, stdout, stderr }),
      );
    });
  const good = await run(await write(batch));
  expect(good.code, good.stderr).toBe(0);
  expect(Report.parse(JSON.parse(good.stdout)).loss["total"]).toBeLessThan(0);
  const bad = await run(await write({ ...batch, klCoef: -1 }));
  expect(bad).toEqual({ code: 2, stdout: "", stderr: "arlarena: klCoef: is -1, must be at least 0\n" });
  const json = await run(await write({ ...batch, klCoef: -1 }), "--json");
  expect([json.code, JSON.parse(json.stdout)]).toMatchObject([2, { error: { issues: [{ path: "klCoef" }] } }]);
});

it("ReMax subtracts the greedy score that each row names, and says which row names none", async () => {
  const { score, greedy_score, remax } = readOffPolicyVectors().advantages;
  const ones = score.map(() => [1]);
  const rows = score.map((reward, i) => ({ group: i, reward, greedyScore: greedy_score[i] }));
  const file = { method: "remax", mask: ones, old: score.map(() => [-1]), new: score.map(() => [-1]), rows };
  const { advantages, gradient } = await report(file);
  expect(advantages.flat()).toEqual(nearly(remax));
  // On policy, the gradient of the mean over tokens is −A/B.
  expect(gradient.flat()).toEqual(nearly(remax.map((advantage) => -advantage / remax.length)));
  const lacking = { ...file, rows: rows.map(({ greedyScore: _greedyScore, ...row }) => row) };
  const { text, exitCode } = await evaluateBatch(await write(lacking));
  expect(exitCode).toBe(2);
  expect(text).toContain("rows[0].greedyScore: is missing: advantage remax reads it");
});

it("OPOB weighs rows by the gradient's norm that each names and by their ratio to the sampler", async () => {
  const { uid, score, length, opob, opob_grad_norm, opob_row_weight } = readOffPolicyVectors().advantages;
  const width = Math.max(...length);
  const matrixOf = (at: (i: number) => number) =>
    length.map((n, i) => Array.from({ length: width }, (_, t) => (t < n ? at(i) : 0)));
  const old = matrixOf(() => -1);
  const rows = score.map((reward, i) => ({ group: uid[i], reward, gradientNorm: opob_grad_norm[i] }));
  // The ratio of a row is the product over its tokens.
  const sampler = matrixOf((i) => -1 - Math.log(opob_row_weight[i] ?? NaN) / (length[i] ?? NaN));
  const method = {
    aggregation: "seqMeanTokenSum",
    clipping: { kind: "score" },
    advantage: { kind: "opob", scale: "none" },
  };
  const file = { method, mask: matrixOf(() => 1), old, new: old, sampler, rows };
  const { advantages, gradient } = await report(file);
  const ofTokens = (values: readonly number[]) => matrixOf((i) => values[i] ?? NaN);
  expect(advantages).toEqual(nearly(ofTokens(opob)));
  // The plain policy gradient (sum over a row's tokens, mean over rows) is −A/B.
  expect(gradient).toEqual(nearly(ofTokens(opob.map((advantage) => -advantage / opob.length))));
  const published = await report({ ...file, method: "vcpoOpob" });
  const sigma = Math.sqrt(1.16 / 3 - (7 / 15) ** 2);
  expect(published.advantages[0]).toEqual(nearly([1, 1, 1, 1, 0, 0].map((x) => (x * (opob[0] ?? NaN)) / sigma)));
  for (const [lacking, message] of [
    [{ ...file, rows: rows.map(({ gradientNorm: _norm, ...row }) => row) }, "rows[0].gradientNorm: is missing"],
    [{ ...file, sampler: undefined }, "sampler: is missing: advantage opob reads it"],
  ] as const) {
    const { text, exitCode } = await evaluateBatch(await write(lacking));
    expect([exitCode, text]).toEqual([2, expect.stringContaining(message)]);
  }
});
