import { describe, expect, it } from "vitest";
import { planImport } from "./planImport.ts";
import { readForeignFile } from "./readForeignFile.ts";

/** Reads a log as left by programs, launchers and accidents, and returns measurements and notes. */
function read(text: string | Uint8Array, fileName = "run.log") {
  const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
  const file = readForeignFile(fileName, bytes);
  const { runs, notes } = planImport([{ fileName, file }]);
  const [run] = runs;
  return {
    format: file.format,
    points: run?.run.points ?? [],
    notes: notes.map((note) => note.replace(`${fileName}: `, "")),
  };
}
const steps = (count: number) => Array.from({ length: count }, (_, i) => i + 1);
const verl = (step: number, end = "") =>
  `step:${step} - actor/grad_norm:0.4 - critic/score/mean:0.${500 + step} - response_length/mean:${230 + step}.000${end}`;
const trl = (step: number) =>
  `{'loss': ${step / 100}, 'grad_norm': 1e-05, 'reward': 0.${500 + step}, 'kl': nan, 'epoch': ${step / 100}}`;
const json = (step: number) => `{"step": ${step}, "reward": 0.${500 + step}, "loss": 0.25}`;
const bar = (step: number) => `Training Progress:  ${step}%|▉         | ${step}/30 [02:40<1:10:00, 81.49s/it]`;
const rewardsOf = (points: ReturnType<typeof read>["points"]) =>
  points.map(({ iteration, values }) => [iteration, values["rollout/returnMean"]]);
const wanted = (count: number) => steps(count).map((step) => [step, Number(`0.${500 + step}`)]);

describe("a last line that is cut", () => {
  it.each([
    [
      "verl's console, within a number",
      `${steps(3)
        .map((s) => verl(s, "\n"))
        .join("")}${verl(4).slice(0, -4)}`,
    ],
    [
      "verl's console, behind a whole number",
      `${steps(3)
        .map((s) => verl(s, "\n"))
        .join("")}${verl(4)}`,
    ],
    [
      "JSON lines",
      `${steps(3)
        .map((s) => `${json(s)}\n`)
        .join("")}{"step": 4, "reward": 0.5`,
    ],
    [
      "TRL's dictionaries",
      `${steps(3)
        .map((s) => `${trl(s)}\n`)
        .join("")}{'loss': 0.04, 'grad_norm': 1e-0`,
    ],
    [
      "a CSV table",
      `step,loss,reward\n${steps(3)
        .map((s) => `${s},0.25,0.${500 + s}\n`)
        .join("")}4,0.25,0.5`,
    ],
    [
      "a CSV table, before its last column",
      `step,loss,reward\n${steps(3)
        .map((s) => `${s},0.25,0.${500 + s}\n`)
        .join("")}4,0.2`,
    ],
  ])("is left out and reported: %s", (_, text) => {
    const { points, notes } = read(text);
    expect(rewardsOf(points)).toEqual(wanted(3));
    expect(notes.join("\n")).toMatch(/the last (line|row) \((4|5)\) .*left out/);
  });

  it("is read where its bracket proves it whole", () => {
    for (const line of [json, trl]) {
      const { points, notes } = read(steps(4).map(line).join("\n"));
      expect([rewardsOf(points), notes]).toEqual([wanted(4), []]);
    }
    const quoted = steps(4).map((s) => `"${s}","0.25","0.${500 + s}"`);
    expect(rewardsOf(read(["step,loss,reward", ...quoted].join("\n")).points)).toEqual(wanted(4));
  });

  it("is found in the middle too, where a run went on writing behind a cut line", () => {
    const text = `${verl(1, "\n")}${verl(2, "\n")}${verl(3).slice(0, -5)}${verl(3, "\n")}${verl(4, "\n")}`;
    const { points, notes } = read(text);
    expect(rewardsOf(points)).toEqual(wanted(4));
    expect(notes).toEqual(["1 measurement (line 3) is cut, the next one follows on its line: left out"]);
    const lines = read(`${json(1)}\n{"step": 2, "re${json(2)}\n${json(3)}\n`);
    expect(rewardsOf(lines.points)).toEqual(wanted(3));
    expect(lines.notes).toHaveLength(1);
  });

  it("is found in a trainer's state", () => {
    const state = JSON.stringify({ log_history: steps(6).map((step) => ({ step, reward: 0.5 })) }, null, 2);
    const { points, notes, format } = read(state.slice(0, -30), "trainer_state.json");
    expect([format, points.length, notes.length]).toEqual(["trlState", 5, 1]);
  });
});

describe("what stands around a measurement on its line", () => {
  const prefixes: Record<string, (line: string) => string> = {
    "nothing, with CRLF": (line) => `${line}\r`,
    "a bar": (line) => `${bar(3)}${line}`,
    "a bar that is cut": (line) => `Training Progress:  3%|▉    | 1/30 [02:40<1:1${line}`,
    "a bar without a total, and colours": (line) => `\u001b[32m12it [00:30,  2.50s/it]\u001b[0m${line}`,
    "Ray and a bar": (line) => `\u001b[36m(TaskRunner pid=4242, ip=10.0.0.3)\u001b[0m ${bar(7)}${line}`,
    "srun -l": (line) => ` 0: ${line}`,
    "torchrun --tee": (line) => `[default0]:${line}`,
    "PyTorch's rank": (line) => `[rank0]: ${line}`,
    "docker compose": (line) => `trainer-1  | ${line}`,
    "docker's file": (line) => JSON.stringify({ log: `${line}\n`, stream: "stdout", time: "2026-11-25T10:00:00Z" }),
    "kubectl --prefix --timestamps": (line) => `[pod/trainer-0/worker] 2026-11-25T10:00:00.123456789Z ${line}`,
    "a container runtime": (line) => `2026-11-25T10:00:00.123456789Z stdout F ${line}`,
    "mpirun --tag-output": (line) => `[1,0]<stdout>:${line}`,
    "DeepSpeed's host": (line) => `worker-1: ${line}`,
    "ts and a rank": (line) => `Nov 25 10:00:00 [0]: ${line}`,
    "Python's logging": (line) => `2026-11-25 10:00:00,123 - INFO - ${line}`,
    loguru: (line) => `2026-11-25 10:00:00.123 | INFO     | train.loop:log:12 - ${line}`,
    "a swift logger": (line) => `[INFO:swift] ${line}`,
  };
  it.each(Object.entries(prefixes))("%s", (_, put) => {
    for (const line of [verl, trl, json]) {
      const { points, notes } = read(
        steps(30)
          .map((step) => `${put(line(step))}\n`)
          .join(""),
      );
      expect([rewardsOf(points), notes]).toEqual([wanted(30), []]);
    }
  });

  it.each([
    ["srun -l", (rank: number) => `${rank}: `],
    ["torchrun --tee", (rank: number) => `[default${rank}]:`],
    ["docker compose", (rank: number) => `trainer-${rank + 1}  | `],
  ])("one of several ranks is kept, and the others are reported: %s", (_, prefix) => {
    for (const line of [verl, trl, json]) {
      const ranks = (step: number) =>
        [1, 0, 2, 3].map((rank) => `${prefix(rank)}${line(step).replace("0.4", `0.${rank}`)}\n`);
      const { points, notes } = read(steps(20).flatMap(ranks).join(""));
      expect(rewardsOf(points)).toEqual(wanted(20));
      expect(notes).toEqual([expect.stringMatching(/^4 processes print measurements.*60 of .* left out$/)]);
    }
  });

  it("a pod that was started again goes on as the same run", () => {
    const lines = steps(20).map((step) => `[pod/trainer-${step <= 10 ? "abc" : "xyz"}/main] ${json(step)}\n`);
    expect(rewardsOf(read(lines.join("")).points)).toEqual(wanted(20));
  });

  it("a bar behind the last number takes that number with it", () => {
    const { points, notes } = read(
      steps(3)
        .map((step) => `${verl(step)}${bar(step)}\n`)
        .join(""),
    );
    expect(points.map(({ values }) => values["rollout/responseTokens"])).toEqual([undefined, undefined, undefined]);
    expect(rewardsOf(points)).toEqual(wanted(3));
    expect(notes).toEqual([expect.stringContaining("3 measurements (the first in line 1) are cut by a progress bar")]);
  });
});

describe("dictionaries over several lines", () => {
  it.each([
    ["pretty-printed JSON", (step: number) => JSON.stringify({ step, reward: 0.5, loss: 0.25 }, null, 2)],
    [
      "an array of JSON",
      (step: number) =>
        `${step === 1 ? "[\n" : ""}${JSON.stringify({ step, reward: 0.5 }, null, 2)}${step === 5 ? "\n]" : ","}`,
    ],
    [
      "an array in one line",
      (step: number) => `${step === 1 ? "[" : ""}{"step":${step},"reward":0.5}${step === 5 ? "]" : ", "}`,
    ],
    ["pprint", (step: number) => `{'loss': 0.25,\n 'reward': 0.5,\n 'epoch': ${step / 100}}`],
    [
      "a terminal's width",
      (step: number) =>
        `{'loss': 0.25, 'grad_norm': 0.123456, 'rew\nard': 0.5, 'completions/mean_length': 12.5, 'epo\nch': ${step / 100}}`,
    ],
    ["one behind the other", (step: number) => (step % 2 === 1 ? trl(step) : `${trl(step)}\n`)],
  ])("%s", (_, write) => {
    const isGlued = write(1) === trl(1) || write(1).startsWith("[{");
    const text = steps(5)
      .map(write)
      .join(isGlued ? "" : "\n");
    const { points, notes } = read(`${text}\n`);
    expect(points.map(({ iteration }) => iteration)).toEqual(steps(5));
    expect(points.every(({ values }) => values["rollout/returnMean"] !== undefined)).toBe(true);
    expect(notes).toEqual([]);
  });

  it("other lines may stand between theirs", () => {
    const text = steps(3)
      .map((step) => `{'loss': 0.25,\nWARNING something\n 'reward': 0.5, 'epoch': ${step / 100}}\n`)
      .join("");
    const { points, notes } = read(text);
    expect(points).toHaveLength(3);
    expect(notes).toEqual([expect.stringContaining("3 lines were not understood")]);
  });
});

describe("encodings", () => {
  const text = steps(5)
    .map((step) => `${json(step)}\n`)
    .join("");
  const utf16 = (isBig: boolean, mark = true) => {
    const bytes = Buffer.from(`${mark ? "\uFEFF" : ""}${text}`, "utf16le");
    return new Uint8Array(isBig ? bytes.swap16() : bytes);
  };
  it.each([
    ["UTF-8 with a mark", new TextEncoder().encode(`\uFEFF${text}`), []],
    ["UTF-16 little endian", utf16(false), ["read as UTF-16LE"]],
    ["UTF-16 big endian", utf16(true), ["read as UTF-16BE"]],
    ["UTF-16 without a mark", utf16(false, false), ["read as UTF-16LE"]],
  ])("%s", (_, bytes, said) => {
    const { points, notes } = read(bytes);
    expect([rewardsOf(points), notes]).toEqual([wanted(5), said]);
  });

  it("one invalid byte costs its own line's number, not the file", () => {
    const bytes = new TextEncoder().encode(`${text}# caf_ \n`);
    bytes[bytes.lastIndexOf(95)] = 0xe9;
    const { points, notes } = read(bytes);
    expect(rewardsOf(points)).toEqual(wanted(5));
    expect(notes[0]).toBe("1 character is not valid UTF-8 and shown as �, the first in line 6");
  });

  it("a character that is cut at the end is part of the cut line", () => {
    const bytes = new TextEncoder().encode(`${text}{"step": 6, "note": "é`).slice(0, -1);
    const { points, notes } = read(bytes);
    expect(rewardsOf(points)).toEqual(wanted(5));
    expect(notes).toEqual([expect.stringMatching(/^the last line \(6\)/)]);
  });

  it("NUL bytes of a full disk do not join numbers", () => {
    const { points, notes } = read(`${verl(1, "\n")}${verl(2)}\0\0\0\0${verl(3, "\n")}${verl(4, "\n")}`);
    expect(points.map(({ iteration }) => iteration)).toEqual([1, 3, 4]);
    expect(notes.join()).toContain("4 NUL bytes were left out, the first in line 2");
  });
});

describe("steps that a line states", () => {
  it("ms-swift's global_step/max_steps, printed and in its file", () => {
    const printed = steps(4).map(
      (s) =>
        `{'loss': 0.25, 'reward': 0.5, 'epoch': 0.1, 'global_step/max_steps': '${5 * s}/187', 'percentage': '0.53%', 'memory(GiB)': 33.4}\n`,
    );
    const file = steps(4).map(
      (s) => `{"loss": 0.25, "reward": 0.5, "global_step/max_steps": "${5 * s}/187", "elapsed_time": "16s"}\n`,
    );
    for (const lines of [printed, file]) {
      const { points } = read(lines.join(""));
      expect(points.map(({ iteration }) => iteration)).toEqual([5, 10, 15, 20]);
      expect(points[0]?.values).toMatchObject({ "loss/total": 0.25, "rollout/returnMean": 0.5 });
    }
  });

  it("in front of the dictionary", () => {
    const { points } = read(
      steps(4)
        .map((s) => `INFO: Step ${10 * s}/40: {'loss': 0.25, 'reward': 0.5}\n`)
        .join(""),
    );
    expect(points.map(({ iteration }) => iteration)).toEqual([10, 20, 30, 40]);
  });
});

it("numbers as texts are read with a per cent sign, and reported with a decimal comma", () => {
  const text = [1, 2].map((step) => `{"step": ${step}, "success": "8${step} %", "reward": "0,2${step}"}\n`).join("");
  const log = readForeignFile("a.jsonl", new TextEncoder().encode(text));
  expect(log.runs[0]?.lines.map(({ values }) => values)).toEqual([{ success: 0.81 }, { success: 0.82 }]);
  expect(log.notes).toEqual(["reward: 2 texts are not numbers, left out: “0,21”"]);
});

describe("null", () => {
  it("is a gap where a metric is sparse, and NaN where it never comes back", () => {
    const line = (step: number, values: object) => `${JSON.stringify({ step, ...values })}\n`;
    const sparse = read(
      steps(20)
        .map((s) => line(s, { loss: 0.1, reward: s % 5 === 0 ? 0.5 : null }))
        .join(""),
    );
    expect(sparse.points.filter(({ values }) => Object.hasOwn(values, "rollout/returnMean"))).toHaveLength(4);
    expect(sparse.notes).toEqual(["16 nulls are read as not measured: reward"]);
    const diverged = read(
      steps(20)
        .map((s) => line(s, { loss: s < 15 ? 0.1 : null, reward: 0.5 }))
        .join(""),
    );
    expect(diverged.points.filter(({ values }) => Number.isNaN(values["loss/total"]))).toHaveLength(6);
  });

  it("None of a printed dictionary is a gap", () => {
    const { points } = read(
      steps(3)
        .map((s) => `{'loss': 0.25, 'kl': None, 'epoch': ${s}}\n`)
        .join(""),
    );
    expect(points.map(({ values }) => Object.hasOwn(values, "policy/klReference"))).toEqual([false, false, false]);
  });
});

describe("tables that trainers write", () => {
  it("Stable-Baselines3's progress.csv: iterations, and evaluations at the one before them", () => {
    const head =
      "time/iterations,time/total_timesteps,rollout/ep_rew_mean,rollout/success_rate,train/entropy_loss,eval/mean_reward\n";
    const rows = steps(4).map((s) => `${s},${2048 * s},${10 * s},0.${s},-0.5,\n,${2048 * s + 100},,,,${20 * s}\n`);
    const { points, notes } = read(head + rows.join(""), "progress.csv");
    expect(points.map(({ iteration }) => iteration)).toEqual([1, 2, 3, 4]);
    expect(points[3]?.values).toMatchObject({
      "rollout/returnMean": 40,
      "rollout/successRate": 0.4,
      "policy/entropy": 0.5,
      "evaluation/returnMean": 80,
    });
    expect(notes).toEqual(["4 rows have no time/iterations: the value of the previous row is used"]);
  });

  it.each([
    [
      "RLlib",
      "episode_reward_mean,training_iteration,timesteps_total,date,info/learner/default_policy/learner_stats/kl",
      (s: number) => `${s},${s},${4000 * s},2026-11-25_10-00-00,0.01`,
    ],
    [
      "RLlib, newer",
      "env_runners/episode_return_mean,training_iteration,num_env_steps_sampled_lifetime,learners/default_policy/mean_kl_loss",
      (s: number) => `${s},${s},${4000 * s},0.01`,
    ],
    [
      "baselines",
      "eplenmean,eprewmean,fps,loss/policy_entropy,misc/nupdates,misc/total_timesteps",
      (s: number) => `200.0,${s},1000,1.2,${s},${128 * s}`,
    ],
    [
      "baselines, older",
      "approxkl,eplenmean,eprewmean,nupdates,policy_entropy,total_timesteps",
      (s: number) => `0.1,200.0,${s},${s},1.2,${128 * s}`,
    ],
  ])("%s", (_, head, row) => {
    const { points } = read(
      `${head}\n${steps(3)
        .map((s) => `${row(s)}\n`)
        .join("")}`,
      "progress.csv",
    );
    expect(rewardsOf(points)).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
    ]);
  });

  it.each([
    ["tabs", "\t"],
    ["semicolons", ";"],
  ])("with %s between their columns", (_, delimiter) => {
    const rows = [["step", "reward", "loss"], ...steps(3).map((s) => [s, `0.${500 + s}`, 0.1])];
    expect(rewardsOf(read(rows.map((row) => `${row.join(delimiter)}\n`).join("")).points)).toEqual(wanted(3));
  });

  it("torn rows, values that are no numbers, and a header that comes again are told apart", () => {
    const text =
      'step,reward,loss\n1,0.501,0.1\n2,0.502,0.l\n3,0.5step,reward,loss\n3,0.503,0.1\n4,"0.9\n5,0.505,0.1,9\n';
    const { points, notes } = read(text);
    expect(rewardsOf(points)).toEqual(wanted(3));
    expect(notes).toEqual([
      "column loss: 1 value is not a number, left out: “0.l” in line 3",
      expect.stringContaining("3 rows were not understood"),
    ]);
    expect(rewardsOf(read("step,reward\n1,0.501\nstep,reward\n2,0.502\n").points)).toEqual(wanted(2));
  });
});

describe("verl up to 0.2 and its forks", () => {
  it.each(["countdown", "openai/gsm8k", "lighteval/MATH"])(
    "val/test_score/%s leaves the training reward alone",
    (source) => {
      const line = (s: number) =>
        `step:${s} - critic/kl:0.05 - actor/entropy_loss:0.8 - critic/score/mean:0.${500 + s} - timing/gen:12.0 - val/test_score/${source}:0.3\n`;
      const { points } = read(steps(3).map(line).join(""));
      expect(rewardsOf(points)).toEqual(wanted(3));
      expect(points[0]?.values).toMatchObject({
        "evaluation/returnMean": 0.3,
        "policy/klReference": 0.05,
        "time/rolloutMs": 12_000,
      });
    },
  );
});
