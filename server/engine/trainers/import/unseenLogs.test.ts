import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { logPath, readImport } from "./readImport.ts";

/** Realistic logs of trainers, which someone else than the author of the log readers wrote. */
const folder = await mkdtemp(join(tmpdir(), "arlarena-unseen-"));
afterAll(() => rm(folder, { recursive: true, force: true }));

type Files = Readonly<Record<string, string | Uint8Array>>;
type Curve = ReadonlyMap<number, number>;
type Read = { runs: readonly { seed: number; curve: (metric: string) => Curve; last: number }[]; notes: string };

const Line = z.object({
  type: z.string(),
  iteration: z.number().optional(),
  values: z.record(z.string(), z.unknown()).optional(),
});
let numRead = 0;

/** Imports files. Returns the stored curves of each run by metric, and all reports as one text. */
async function read(files: Files): Promise<Read> {
  const home = join(folder, String((numRead += 1)));
  const given = [];
  for (const [name, content] of Object.entries(files)) {
    const path = join(home, name);
    const bytes = typeof content === "string" ? Buffer.from(content) : content;
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, bytes);
    given.push({ name, path, start: 0, end: bytes.length });
  }
  const { runs, notes } = await readImport({ files: given, options: {}, logs: home });
  const logs = await Promise.all(runs.map((_, i) => readFile(logPath(home, i), "utf8")));
  return {
    notes: notes.join("\n"),
    runs: runs.map(({ seed }, i) => {
      const lines = (logs[i] ?? "")
        .trim()
        .split("\n")
        .map((line) => Line.parse(JSON.parse(line)));
      const points = lines.filter(({ values, iteration }) => values !== undefined && iteration !== undefined);
      const curve = (metric: string): Curve =>
        new Map(
          points.flatMap(({ iteration = 0, values = {} }) =>
            metric in values ? [[iteration, Number(values[metric])] as const] : [],
          ),
        );
      return { seed, curve, last: Math.max(...points.map(({ iteration = 0 }) => iteration)) };
    }),
  };
}

const numbers = (count: number, from = 1) => Array.from({ length: count }, (_, i) => i + from);
const score = (step: number) => Number((0.2 + step / 100).toFixed(3));
const verl = (step: number, extra = "") =>
  `step:${step} - actor/pg_loss:-0.012 - actor/grad_norm:0.512 - critic/score/mean:${score(step).toFixed(3)}${extra} - response_length/mean:${200 + step}.000`;
const RETURN = "rollout/returnMean";

async function one(files: Files) {
  const { runs, notes } = await read(files);
  expect(runs).toHaveLength(1);
  const [run] = runs;
  if (run === undefined) throw new Error("no run");
  return { ...run, notes };
}

/** Checks that the curve of the training reward has exactly these steps with their values. */
function expectScores(curve: Curve, steps: readonly number[]) {
  expect([...curve.keys()]).toEqual([...steps]);
  for (const step of steps) expect(curve.get(step), `step ${step}`).toBeCloseTo(score(step), 6);
}

describe("cut logs", () => {
  it("leaves out the last number of a verl console that a kill cut, and says so", async () => {
    const text = numbers(20)
      .map((step) => verl(step))
      .join("\n");
    const { curve, notes } = await one({ "grpo_alfworld_seed0.log": text.slice(0, -5) });
    expect(curve("rollout/responseTokens").get(20)).not.toBe(2);
    expect(notes).toMatch(/unfinished|cut/i);
  });

  it("believes a console's last line that ends with its line feed", async () => {
    const text = `${numbers(20)
      .map((step) => verl(step))
      .join("\n")}\n`;
    expectScores((await one({ "grpo_alfworld_seed0.log": text })).curve(RETURN), numbers(20));
  });

  it("leaves out the last line of TRL's printed dictionaries cut within a number", async () => {
    const lines = numbers(10).map(
      (step) => `{'loss': 0.01, 'grad_norm': 0.5, 'reward': ${score(step)}, 'step': ${step}, 'epoch': 0.${step}1}`,
    );
    const text = `${lines.join("\n")}\n{'loss': 0.01, 'grad_norm': 0.5, 'reward': 0.3`;
    const { curve, notes } = await one({ "grpo_gsm8k_seed1.log": text });
    expect(curve(RETURN).size).toBe(10);
    expect(notes).toMatch(/unfinished|cut/i);
  });

  it("leaves out the last row of a W&B export cut within a number", async () => {
    const rows = numbers(12).map((step) => `"${step}","${score(step)}"`);
    const text = `"Step","grpo_sokoban_seed3 - critic/score/mean"\n${rows.join("\n")}\n"13","0.`;
    const { curve, notes } = await one({ "wandb_export_2026-01-01.csv": text });
    expectScores(curve(RETURN), numbers(12));
    expect(notes).toMatch(/unfinished|cut/i);
  });
});

describe("verl's forks", () => {
  it("reads rewards beside test scores whose source has slashes", async () => {
    const lines = numbers(6).map((step) =>
      verl(step, step % 3 === 0 ? ` - val/test_score/openai/gsm8k:0.${step}10` : ""),
    );
    const { curve } = await one({ "ppo_gsm8k_seed0.log": `${lines.join("\n")}\n` });
    expectScores(curve(RETURN), numbers(6));
    const [evaluated] = ["evaluation/successRate", "evaluation/returnMean"].filter((metric) => curve(metric).size > 0);
    expect(evaluated).toBeDefined();
    expect(curve(evaluated ?? "").get(6)).toBeCloseTo(0.61, 6);
  });
});

describe("what stands before a measurement", () => {
  const prefixes: readonly [string, (line: string, step: number) => string][] = [
    [
      "a bar that returns to the line's start",
      (line, step) =>
        `Training Progress:  ${step}%|▏  | ${step}/30 [00:10<05:00, 9.9s/it]\r\u001b[36m(TaskRunner pid=77)\u001b[0m ${line}`,
    ],
    ["srun -l", (line) => ` 0: ${line}`],
    ["torchrun", (line) => `[rank0]:[default0]:${line}`],
    ["docker compose", (line) => `\u001b[36mtrainer-1  | \u001b[0m${line}`],
    [
      "kubectl with a time",
      (line, step) => `2026-03-01T10:00:${String(step).padStart(2, "0")}.123456789Z stdout F ${line}`,
    ],
    [
      "a logger's head",
      (line, step) => `[2026-03-01 10:00:${String(step).padStart(2, "0")},123][root][INFO] - ${line}`,
    ],
  ];
  it.each(prefixes)("reads verl's lines behind %s", async (_, prefix) => {
    const text = `${numbers(9)
      .map((step) => prefix(verl(step), step))
      .join("\n")}\n`;
    expectScores((await one({ "gspo_webshop_seed2.log": text })).curve(RETURN), numbers(9));
  });

  it("reads TRL's dictionaries behind torchrun's rank", async () => {
    const text = `${numbers(9)
      .map(
        (step) =>
          `[default0]:{'loss': 0.0, 'grad_norm': 0.41, 'reward': ${score(step)}, 'reward_std': 0.2, 'kl': 0.001, 'epoch': ${step / 10}}`,
      )
      .join("\n")}\n`;
    const { curve } = await one({ "grpo_gsm8k_seed2.log": text });
    expect([...curve(RETURN).values()]).toEqual(numbers(9).map(score));
  });

  it("keeps one of two interleaved ranks", async () => {
    const text = `${numbers(8)
      .flatMap((step) => [`0: ${verl(step)}`, `1: ${verl(step).replace(/score\/mean:[\d.]+/, "score/mean:9.000")}`])
      .join("\n")}\n`;
    const { curve, notes } = await one({ "grpo_webshop_seed0.log": text });
    expectScores(curve(RETURN), numbers(8));
    expect(notes).toMatch(/rank|process/i);
  });
});

describe("encodings and wrappings", () => {
  const text = `${numbers(7)
    .map((step) => JSON.stringify({ step, data: { "critic/score/mean": score(step), "actor/grad_norm": 0.5 } }))
    .join("\n")}\n`;
  const utf16 = (swap: boolean) => {
    const bytes = Buffer.from(`\uFEFF${text}`, "utf16le");
    return swap ? bytes.swap16() : bytes;
  };
  const wrapped: readonly [string, string, Uint8Array][] = [
    ["UTF-16 little-endian", "grpo_alfworld_seed0.jsonl", utf16(false)],
    ["UTF-16 big-endian", "grpo_alfworld_seed0.jsonl", utf16(true)],
    ["gzip", "grpo_alfworld_seed0.jsonl.gz", gzipSync(text)],
    ["a UTF-8 mark and CRLF", "grpo_alfworld_seed0.jsonl", Buffer.from(`\uFEFF${text.replaceAll("\n", "\r\n")}`)],
  ];
  it.each(wrapped)("reads %s", async (_, name, bytes) => {
    expectScores((await one({ [name]: bytes })).curve(RETURN), numbers(7));
  });

  it("loses only the line with an invalid byte, if that", async () => {
    const bytes = Buffer.concat([
      Buffer.from(`${verl(1)}\nprompt: `),
      Buffer.from([0xff, 0xc3, 0x28]),
      Buffer.from(
        `\n${numbers(5, 2)
          .map((step) => verl(step))
          .join("\n")}\n`,
      ),
    ]);
    expectScores((await one({ "grpo_alfworld_seed0.log": bytes })).curve(RETURN), numbers(6));
  });

  it("reads what a gzip cut in its middle still holds, and says that it is cut", async () => {
    // A regular text would be compressed to a single block, of which a truncated file would yield nothing.
    const long = `${numbers(4000)
      .map(
        (step) =>
          `step:${step} - actor/grad_norm:${(Math.sin(step) ** 2).toFixed(9)} - critic/score/mean:${(Math.cos(step * 7) ** 2).toFixed(9)}`,
      )
      .join("\n")}\n`;
    const whole = gzipSync(long);
    const { curve, notes } = await one({
      "grpo_alfworld_seed0.log.gz": whole.subarray(0, Math.floor(whole.length * 0.7)),
    });
    expect(curve(RETURN).size).toBeGreaterThan(1000);
    expect(curve(RETURN).get(100)).toBeCloseTo(Math.cos(700) ** 2, 8);
    expect(notes).toMatch(/cut|unfinished|damaged/i);
  });

  it("reads a dictionary that pprint wrapped over lines", async () => {
    const lines = numbers(5).map(
      (step) =>
        `{'epoch': ${step / 10},\n 'grad_norm': 0.5,\n 'kl': 0.002,\n 'loss': 0.0,\n 'reward': ${score(step)},\n 'reward_std': 0.1}`,
    );
    expect([...(await one({ "grpo_gsm8k_seed0.log": `${lines.join("\n")}\n` })).curve(RETURN).values()]).toEqual(
      numbers(5).map(score),
    );
  });

  it("takes JSON's null for a gap", async () => {
    const lines = numbers(6).map((step) =>
      JSON.stringify({ step, reward: step === 3 ? null : score(step), grad_norm: 0.5 }),
    );
    const { curve } = await one({ "grpo_gsm8k_seed0.jsonl": `${lines.join("\n")}\n` });
    const values = curve(RETURN);
    expect(values.get(2)).toBeCloseTo(score(2));
    expect(values.get(3) ?? Number.NaN).toBeNaN();
    expect(values.get(6)).toBeCloseTo(score(6));
  });
});

describe("other formats", () => {
  it("reads Stable-Baselines3's progress.csv with gaps", async () => {
    const rows = numbers(6).map(
      (step) => `${2048 * step},${step},${step === 1 ? "" : "0.01"},${score(step)},${20 + step}`,
    );
    const text = `time/total_timesteps,time/iterations,train/approx_kl,rollout/ep_rew_mean,rollout/ep_len_mean\n${rows.join("\n")}\n`;
    const { curve } = await one({ "ppo_sokoban_seed0/progress.csv": text });
    expect([...curve(RETURN).values()]).toEqual(numbers(6).map(score));
  });

  it("reads ms-swift's steps, which are written with their total", async () => {
    const lines = numbers(5).map((step) =>
      JSON.stringify({
        loss: 0.1,
        grad_norm: 0.5,
        reward: score(step),
        reward_std: 0.2,
        kl: 0.01,
        "global_step/max_steps": `${step * 5}/100`,
        percentage: "5.00%",
        elapsed_time: "1m 2s",
      }),
    );
    expect([...(await one({ "grpo_gsm8k_seed0/logging.jsonl": `${lines.join("\n")}\n` })).curve(RETURN)]).toEqual(
      numbers(5).map((step) => [step * 5, score(step)]),
    );
  });

  it("reads RLlib's progress.csv", async () => {
    const rows = numbers(5).map(
      (step) => `${score(step)},1.0,0.0,${step},${step * 4000},"{'a': 1, 'b': 2}",${10 * step}.5`,
    );
    const text = `episode_reward_mean,episode_reward_max,episode_reward_min,training_iteration,timesteps_total,config,time_total_s\n${rows.join("\n")}\n`;
    expect([...(await one({ "ppo_sokoban_seed0/progress.csv": text })).curve(RETURN)]).toEqual(
      numbers(5).map((step) => [step, score(step)]),
    );
  });
});

describe("runs and names", () => {
  it("joins the two logs of a run that was resumed, the later one counting", async () => {
    const first = `${numbers(12)
      .map((step) => verl(step))
      .join("\n")}\n`;
    const second = `${numbers(12, 9)
      .map((step) => verl(step))
      .join("\n")}\n`;
    const { curve } = await one({
      "grpo_sokoban_seed4/train.log": first,
      "grpo_sokoban_seed4/train_resume.log": second,
    });
    expectScores(curve(RETURN), numbers(20));
  });

  it("keeps all else of a line whose one name is 300 characters long", async () => {
    const lines = numbers(5).map((step) =>
      JSON.stringify({ step, reward: score(step), [`task/${"x".repeat(300)}`]: 1, "a\u0000b": 2 }),
    );
    const { curve } = await one({ "grpo_gsm8k_seed0.jsonl": `${lines.join("\n")}\n` });
    expectScores(curve(RETURN), numbers(5));
  });

  it("never ends a run before it began", async () => {
    const lines = numbers(5).map((step) =>
      JSON.stringify({ step, reward: score(step), _timestamp: 1_770_000_000 - step * 60 }),
    );
    const home = join(folder, "backwards");
    await mkdir(home, { recursive: true });
    const path = join(home, "grpo_gsm8k_seed0.jsonl");
    const text = `${lines.join("\n")}\n`;
    await writeFile(path, text);
    const { runs } = await readImport({
      files: [{ name: "grpo_gsm8k_seed0.jsonl", path, start: 0, end: text.length }],
      options: {},
    });
    for (const { startedAtMs, endedAtMs } of runs)
      expect((endedAtMs ?? 0) - (startedAtMs ?? 0)).toBeGreaterThanOrEqual(0);
  });
});
