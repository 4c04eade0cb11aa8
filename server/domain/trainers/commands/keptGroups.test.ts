import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parquetReadObjects } from "hyparquet";
import { afterAll, expect, it } from "vitest";
import { z } from "zod";
import { groupBy } from "#packages/base";
import { settings } from "#packages/trainers/commands/testing/settings.ts";
import { trlArguments } from "#packages/trainers/commands/trl/arguments.ts";
import { upstreamArguments } from "#packages/trainers/commands/verl/upstream.ts";
import { openGroups } from "#trainer/run/keeping/groupFile.ts";
import { makeRecorder } from "#trainer/run/testing/recorder.ts";
import { tinySpec } from "#trainer/run/testing/tinySpec.ts";
import { train } from "#trainer/run/train.ts";
import { groupFiles, GroupToken, KeptGroup } from "#trainer/spec/keptGroup.ts";
import { type Method, type MethodName, methodOf } from "#trainer/spec/method.ts";
import { RunSpec } from "#trainer/spec/run.ts";

const verl = process.env["ARLARENA_VERL_PYTHON"] ?? "";
const trees = process.env["ARLARENA_VERL_TREES"] ?? "";
const trl = process.env["ARLARENA_TRL_PYTHON"] ?? "";
const release = "0.9.1";
const home = mkdtempSync(join(tmpdir(), "arlarena-kept-"));
afterAll(() => rmSync(home, { recursive: true }));

const names = ["grpo", "gspo", "sapo", "cispo", "gigpo", "dapoGrpo", "sampo"] as const satisfies MethodName[];

/** A kept group as matrices (B, T), padded with zeros: one row per turn. */
type Rows = {
  name: string;
  method: Method;
  mask: number[][];
  old: number[][];
  new: number[][];
  ours: Record<"advantages" | "ratio" | "loss" | "clipped" | "dual", number[][]>;
  rewards: number[];
  steps: { groups: number[]; rewards: number[]; weight: number } | null;
};

/** Trains one iteration, whose later optimizer steps clip, and reads its groups from the files beside the log. */
async function keep(name: MethodName): Promise<Rows[]> {
  const folder = join(home, name);
  const method = methodOf(name);
  // DAPO's wider upper bound (arXiv:2503.14476 §3.1), which tasks of text games leave at 0.2.
  const clipping = name === "dapoGrpo" ? { ...method.clipping, high: 0.28 } : method.clipping;
  const spec = tinySpec({ ...method, clipping }, 1, {
    environment: { id: "sokoban", maxTurns: 5 },
    initialisation: { kind: "demonstrations", numEpisodes: 60, epochs: 4 },
    rollout: { numGroups: 4, groupSize: 4, historyLength: 0, maxResponseTokens: 12 },
    reward: { invalidActionPenalty: 0 },
    update: { minibatchRows: 8, klCoef: 0 },
    optimizer: { learningRate: 1e-3 },
    execution: { groups: { every: 1, number: 99 } },
  });
  await train(spec, { ...makeRecorder(folder).run, groupFile: openGroups(folder) });
  const index = readFileSync(join(folder, groupFiles.index), "utf8").trim().split("\n");
  const heads = index.map((line) => KeptGroup.parse(JSON.parse(line)));
  const used = heads.filter(({ marks, masked }) => masked === 0 && !marks.includes("zeroVariance"));
  const bytes = readFileSync(join(folder, groupFiles.tokens));
  return Promise.all(
    used.map(async ({ fromByte, numBytes }) => {
      const file = Uint8Array.from(bytes.subarray(fromByte, fromByte + numBytes)).buffer;
      const tokens = (await parquetReadObjects({ file })).map((row) => GroupToken.parse(row));
      return { name, ...toRows(spec.method, tokens) };
    }),
  );
}

function toRows(method: Method, tokens: readonly GroupToken[]): Omit<Rows, "name"> {
  const turns = [...groupBy(tokens, ({ episode, turn }) => `${episode} ${turn}`).values()];
  const responses = turns.map((own) => own.filter(({ role }) => role === "response"));
  const length = Math.max(...responses.map((own) => own.length));
  const matrix = (read: (token: GroupToken) => number | null) =>
    responses.map((own) =>
      Array.from({ length }, (_, t) => {
        const token = own[t];
        return token ? (read(token) ?? NaN) : 0;
      }),
    );
  const { advantage } = method;
  const first = turns.map(([prompt]) => prompt);
  const prompts = first.map((token) => token?.text ?? "");
  return {
    method,
    mask: matrix(() => 1),
    old: matrix(({ oldLogProb }) => oldLogProb),
    new: matrix(({ logProb }) => logProb),
    ours: {
      advantages: matrix((token) => token.advantage),
      ratio: matrix(({ ratio }) => ratio),
      loss: matrix(({ loss }) => loss),
      clipped: matrix(({ fate }) => Number(fate === "clippedHigh" || fate === "clippedLow")),
      dual: matrix(({ fate }) => Number(fate === "clippedDual")),
    },
    rewards: first.map((token) => token?.return ?? NaN),
    // Without history, equal prompts are equal states.
    steps:
      advantage.kind !== "gigpo"
        ? null
        : {
            groups: prompts.map((prompt) => prompts.indexOf(prompt)),
            rewards: first.map((token) => discounted(first, token, advantage.gamma)),
            weight: advantage.stepWeight,
          },
  };
}

/** Σ_{l ≥ k} γ^(l − k)·r_l over the turns of an episode from a turn k on. */
function discounted(turns: readonly (GroupToken | undefined)[], from: GroupToken | undefined, gamma: number): number {
  const later = turns.filter((one) => one?.episode === from?.episode && (one?.turn ?? 0) >= (from?.turn ?? 0));
  return later.reduce((sum, one) => sum + gamma ** ((one?.turn ?? 0) - (from?.turn ?? 0)) * (one?.reward ?? NaN), 0);
}

/** The method with the part that the other program has: its loss, and advantages relative to the group. */
function specOf({ name, method }: Rows): RunSpec {
  const { advantage } = methodOf("grpo");
  return RunSpec.parse({
    v: 1,
    seed: 3,
    environment: { id: "custom", title: "GSM8K" },
    method: {
      ...method,
      advantage,
      // Per token, both programs aggregate SAPO by one mean only, and the loss per token has no aggregation.
      aggregation: name === "sapo" ? "seqMeanTokenMean" : method.aggregation,
      sampling: { kind: "all" },
    },
    rollout: { numGroups: 64, groupSize: 8, maxResponseTokens: 16 },
    update: { minibatchRows: 128, oldLogProbs: "trainer", klCoef: 0 },
    optimizer: { learningRate: 1e-6 },
  });
}

const Matrix = z.array(z.array(z.number()));
const Tokens = z.object({ ratio: Matrix, loss: Matrix, clipped: Matrix });
const VerlTokens = z.object({ advantages: Matrix, tokens: Tokens.extend({ dual: Matrix }) });
const TrlTokens = Tokens.extend({ advantages: z.array(z.number()) });

function call<T>(schema: z.ZodType<T>, python: string, [program, input]: [program: string, input: unknown]): T {
  const path = fileURLToPath(new URL(program, import.meta.url));
  const options = { input: JSON.stringify(input), encoding: "utf8", maxBuffer: 1 << 28 } as const;
  const { status, stdout, stderr } = spawnSync(python, [path], options);
  expect(status, stderr.slice(-3000)).toBe(0);
  return schema.parse(JSON.parse(stdout.slice(stdout.indexOf("RESULT") + 6)));
}

/** Largest difference over response tokens. */
function apart(actual: number[][], expected: number[][], mask: number[][]): number {
  let max = 0;
  for (const [i, row] of mask.entries()) {
    for (const [t, one] of row.entries()) {
      if (one === 1) max = Math.max(max, Math.abs((actual[i]?.[t] ?? NaN) - (expected[i]?.[t] ?? NaN)));
    }
  }
  return max;
}

let kept: Promise<Rows[][]> | undefined;
/** Groups of every method, which both tests read. */
const keepAll = (): Promise<Rows[][]> => (kept ??= Promise.all(names.map(keep)));

const count = (matrix: number[][]): number => matrix.flat().reduce((sum, x) => sum + x, 0);

function expectEqual(name: string, differences: Record<string, number>): void {
  const words = Object.entries(differences).map(([what, x]) => `${what} ${x.toExponential(1)}`);
  console.log(`${name}: ${words.join(", ")}`);
  for (const [what, x] of Object.entries(differences)) expect(x, `${name}, ${what}`).toBeLessThan(1e-6);
}

it.skipIf(verl === "" || trees === "")(
  `tokens of kept groups are verl ${release}'s (skipped unless ARLARENA_VERL_PYTHON and ARLARENA_VERL_TREES are set)`,
  { timeout: 1_800_000 },
  async () => {
    const groups = (await keepAll()).flat();
    expect(new Set(groups.map(({ name }) => name)).size).toBe(names.length);
    const commands = groups.map((rows) => {
      const { overrides, problems } = upstreamArguments(specOf(rows), {
        ...settings,
        flavour: "verl",
        version: release,
        gpus: 8,
      });
      expect(problems, rows.name).toEqual([]);
      const { mask, old, rewards, steps } = rows;
      const batch = { mask, old, new: rows.new, sampler: old, groups: rewards.map(() => 0), rewards, steps };
      return { overrides, batches: [batch] };
    });
    const input = { tree: join(trees, release), commands };
    const theirs = call(z.array(z.array(VerlTokens)), verl, ["verl/testing/losses.py", input]).flat();
    for (const [name, own] of groupBy([...groups.entries()], ([, rows]) => rows.name)) {
      const differences = { advantage: 0, ratio: 0, loss: 0, clip: 0 };
      let numClipped = 0;
      for (const [i, { ours, mask }] of own) {
        const { advantages, tokens } = theirs[i] ?? raise();
        const add = (what: keyof typeof differences, x: number) => (differences[what] = Math.max(differences[what], x));
        add("advantage", apart(ours.advantages, advantages, mask));
        add("ratio", apart(ours.ratio, tokens.ratio, mask));
        add("loss", apart(ours.loss, tokens.loss, mask));
        add("clip", apart(ours.clipped, tokens.clipped, mask));
        add("clip", apart(ours.dual, tokens.dual, mask));
        numClipped += count(ours.clipped);
      }
      expectEqual(`${name}, ${own.length} groups, ${numClipped} tokens clipped`, differences);
      // SAPO's gate is soft: it limits all tokens, and clips none.
      expect(numClipped > 0, name).toBe(name !== "sapo");
    }
  },
);

it.skipIf(trl === "")(
  "tokens of kept groups are TRL's where it has the loss (skipped unless ARLARENA_TRL_PYTHON names a Python that has trl)",
  { timeout: 1_800_000 },
  async () => {
    // TRL 1.16.0 has no step advantages, so GiGPO and SAMPO are its GRPO and GSPO with the group's own advantages.
    const groups = (await keepAll()).map(([rows]) => rows ?? raise());
    const input = groups.map((rows) => {
      const { arguments: given, problems } = trlArguments(specOf(rows), { outputFolder: home, processes: 1 });
      expect(problems, rows.name).toEqual([]);
      const { mask, old, rewards, ours } = rows;
      return { arguments: given, mask, old, new: rows.new, advantages: ours.advantages, rewards };
    });
    const theirs = call(z.array(TrlTokens), trl, ["testing/trlTokens.py", input]);
    for (const [i, { name, method, ours, mask, rewards }] of groups.entries()) {
      const { advantages, ratio, loss, clipped } = theirs[i] ?? raise();
      const scale = scaleOf(rewards);
      // Their advantage divides by σ + 1e-4, ours, verl's and ARLArena's by σ + 1e-6.
      const rescaled = advantages.map((x) => (x * (scale + 1e-4)) / (scale + 1e-6));
      const wide = mask.map((row, r) => row.map(() => rescaled[r] ?? NaN));
      const isPlain = method.advantage.kind === "group";
      // TRL counts CISPO's clipped weights where the advantage is positive only, although it clips all.
      const counted = ours.clipped.map((row, r) =>
        row.map((x, t) => (method.clipping.kind === "cispo" && (ours.advantages[r]?.[t] ?? NaN) <= 0 ? 0 : x)),
      );
      expectEqual(name, {
        ...(isPlain && { advantage: apart(ours.advantages, wide, mask) }),
        ratio: apart(ours.ratio, ratio, mask),
        loss: apart(ours.loss, loss, mask),
        clip: apart(counted, clipped, mask),
      });
    }
  },
);

function scaleOf(values: readonly number[]): number {
  const mean = values.reduce((sum, x) => sum + x, 0) / values.length;
  return Math.sqrt(values.reduce((sum, x) => sum + (x - mean) ** 2, 0) / (values.length - 1));
}

function raise(): never {
  throw new Error("no such group");
}
