import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { RunEvent } from "#trainer/spec/event.ts";
import { parseEventLog, toEventLog } from "./toEventLog.ts";
import { guessIdentity } from "./guessIdentity.ts";
import { keepStorable } from "./keepStorable.ts";
import { planImport } from "./planImport.ts";
import { readForeignFile } from "./readForeignFile.ts";
import { parseStoredSpec } from "#server/domain/plan/sweep/stored/storedSpec.ts";
import { isImported } from "#server/domain/plan/sweep/stored/isImported.ts";

const read = (name: string, text: string) => readForeignFile(name, new TextEncoder().encode(text));
const runsOf = (file: ReturnType<typeof read>) => planImport([{ fileName: "x", file }]).runs.map(({ run }) => run);

describe("files of other trainers", () => {
  it("verl's console log, whatever Ray puts around it, in the catalogue's units", () => {
    const file = read(
      "run.log",
      "WARNING something\n" +
        "(TaskRunner pid=7) step:1 - actor/pg_loss:np.float64(-0.01) - episode/success_rate:0.25 - timing_s/step:88.5\n" +
        "(TaskRunner pid=7) step:2 - actor/pg_loss:nan - episode/success_rate:0.5 - timing_s/step:80\n",
    );
    expect(file).toMatchObject({
      format: "verlConsole",
      unread: { count: 1, first: ["WARNING something"], lines: [1] },
    });
    expect(runsOf(file)[0]?.points[0]).toEqual({
      iteration: 1,
      values: { "loss/policy": -0.01, "rollout/successRate": 0.25, "time/iterationMs": 88_500 },
    });
    expect(runsOf(file)[0]?.originals).toMatchObject({ "loss/policy": "actor/pg_loss" });
  });

  it("verl's file log after a restart: what was superseded is gone", () => {
    const line = (step: number, rate: number) => JSON.stringify({ step, data: { "episode/success_rate": rate } });
    const file = read("run.jsonl", [line(1, 0.1), line(2, 0.2), line(3, 0.9), line(2, 0.3), line(3, 0.4)].join("\n"));
    expect(runsOf(file)[0]?.points.map(({ iteration, values }) => [iteration, values["rollout/successRate"]])).toEqual([
      [1, 0.1],
      [2, 0.3],
      [3, 0.4],
    ]);
  });

  it("TRL's trainer state", () => {
    const state = { log_history: [{ step: 10, reward: 0.5, kl: null, epoch: 0.1 }, { train_runtime: 3 }] };
    const file = read("trainer_state.json", JSON.stringify(state, null, 2));
    expect(file.format).toBe("trlState");
    expect(runsOf(file)[0]?.points).toEqual([{ iteration: 10, values: { "rollout/returnMean": 0.5, epoch: 0.1 } }]);
  });

  it("a chart that W&B exported: runs side by side, without their envelopes", () => {
    const file = read(
      "chart.csv",
      '"Step","grpo - sokoban s1 - actor/grad_norm","grpo - sokoban s1 - actor/grad_norm__MIN","grpo - sokoban s1 - actor/grad_norm__MAX","gspo s1 - actor/grad_norm"\n' +
        '"1","0.5","0.4","0.6",""\n"2","NaN","","","0.25"\n',
    );
    expect(file.format).toBe("wandbCsv");
    expect(runsOf(file).map(({ points }, i) => [file.runs[i]?.name, points])).toEqual([
      [
        "grpo - sokoban s1",
        [
          { iteration: 1, values: { "update/gradientNorm": 0.5 } },
          { iteration: 2, values: { "update/gradientNorm": NaN } },
        ],
      ],
      ["gspo s1", [{ iteration: 2, values: { "update/gradientNorm": 0.25 } }]],
    ]);
  });

  it("a history that W&B exported, with its clock", () => {
    const file = read(
      "h.csv",
      "_step,_runtime,_timestamp,train/loss,train/reward\n0,1.5,1700000000.5,0.3,\n1,3,1700000002,,0.5\n",
    );
    expect(file.format).toBe("wandbCsv");
    expect(runsOf(file)[0]?.points).toEqual([
      { iteration: 0, atMs: 1_700_000_000_500, values: { "loss/total": 0.3 } },
      { iteration: 1, atMs: 1_700_000_002_000, values: { "rollout/returnMean": 0.5 } },
    ]);
  });

  it("a chart that MLflow exported: one line a measurement, runs told apart by id", () => {
    const file = read(
      "m.csv",
      "Run,Run ID,metric,step,timestamp,value\n" +
        '"calm","a1","actor/kl_loss","1","1700000000000","0.1"\n' +
        '"calm","b2","actor/kl_loss","1","1700000000000","0.2"\n' +
        '"calm","a1","actor/grad_norm","1","1700000000500","Infinity"\n',
    );
    expect(file.format).toBe("mlflowCsv");
    expect(runsOf(file).map(({ points }) => points[0]?.values)).toEqual([
      { "policy/klReference": 0.1, "update/gradientNorm": Infinity },
      { "policy/klReference": 0.2 },
    ]);
  });

  it.each([
    ["runs.csv", "Run ID,Name,Status,metrics.loss\na,b,FINISHED,0.1\n", "a table of runs has only last values"],
    ["notes.txt", "dear diary, nothing was measured\n", "no measurements found"],
    ["empty.jsonl", "{}\n", "no measurements found"],
    ["policy.onnx", "\u0008\u0001\u0000\u0000", "binary data of an unknown kind"],
  ])("refuses %s and says why", (name, text, problem) => {
    expect(() => read(name, text)).toThrow(problem);
  });
});

describe("who a run is", () => {
  it.each([
    ["grpo_alfworld_seed2.jsonl", { method: "GRPO", environment: "alfworld", seed: 2 }],
    ["gspo-webshop-s0", { method: "GSPO", environment: "webshop", seed: 0 }],
    ["my_run.log", { method: "my run", environment: "unknown", seed: undefined }],
    ["trainer_state.json", { method: "trainer state", environment: "unknown", seed: undefined }],
    ["sokoban.csv", { method: "imported", environment: "sokoban", seed: undefined }],
  ])("%s", (name, identity) => expect(guessIdentity(name)).toEqual(identity));
});

describe("a plan of an import", () => {
  const line = (rate: number) => `${JSON.stringify({ step: 1, data: { "episode/success_rate": rate } })}\n`;
  const named = (fileName: string, rate = 0.5) => ({ fileName, file: read(fileName, line(rate)) });

  it("makes cells of methods and environments and runs of seeds", () => {
    const plan = planImport([
      named("grpo_s1.jsonl"),
      named("gspo_s1.jsonl"),
      named("grpo_s2.jsonl"),
      named("grpo.jsonl"),
    ]);
    expect(plan.cells.map(({ method }) => method)).toEqual(["GRPO", "GSPO"]);
    expect(plan.runs.map(({ cellIndex, seed }) => [cellIndex, seed])).toEqual([
      [0, 1],
      [0, 2],
      [0, 0],
      [1, 1],
    ]);
  });

  it("moves a seed that is taken, and says so", () => {
    const plan = planImport([named("a/grpo_s1.jsonl"), named("b/grpo_s1.jsonl")], { method: "GRPO" });
    expect(plan.runs.map(({ seed }) => seed)).toEqual([1, 0]);
    expect(plan.notes).toEqual(["grpo_s1.jsonl: seed 1 is already used; imported as seed 0"]);
  });

  it("joins the charts of one run", () => {
    const chart = (metric: string, value: number) => ({
      fileName: `${metric}.csv`,
      file: read("x.csv", `Step,run one - ${metric}\n1,${value}\n`),
    });
    const plan = planImport([chart("actor/kl_loss", 0.1), chart("actor/grad_norm", 2)]);
    expect(plan.runs).toHaveLength(1);
    expect(plan.runs[0]?.run.points).toEqual([
      { iteration: 1, values: { "policy/klReference": 0.1, "update/gradientNorm": 2 } },
    ]);
  });

  const state = (steps: number, from = 0) => {
    const entry = (_: unknown, i: number) => ({ step: (i + 1) * 10, reward: 0.01 * i + (10 * i >= from ? 0.5 : 0) });
    return JSON.stringify({ log_history: Array.from({ length: steps }, entry) });
  };

  it.each([
    ["in the folder that they are called after", "out/grpo_s1/checkpoint-200/trainer_state.json", "out/grpo_s1/"],
    ["dropped without their folders", "trainer_state.json", ""],
  ])("takes two snapshots of one run for one run, %s", (_, later, folder) => {
    const earlier = `${folder}${folder === "" ? "" : "checkpoint-100/"}trainer_state.json`;
    const files = [later, earlier].map((fileName, i) => ({ fileName, file: read(fileName, state(i === 0 ? 20 : 10)) }));
    const { runs, cells } = planImport(files);
    expect(runs.map(({ run }) => [run.points.length, run.notes])).toEqual([[20, []]]);
    expect(cells[0]?.method).toBe(folder === "" ? "trainer state" : "GRPO");
  });

  it("keeps what counts in the newer snapshot of a run that had gone back, and other runs apart", () => {
    const of = (folder: string, text: string) => ({
      fileName: `${folder}/trainer_state.json`,
      file: read("trainer_state.json", text),
    });
    const { runs } = planImport([
      of("grpo_s1/checkpoint-100", state(10)),
      of("grpo_s1/checkpoint-120", state(12, 60)),
      of("grpo_s2/checkpoint-100", state(10)),
    ]);
    expect(runs.map(({ seed, run }) => [seed, run.points.length])).toEqual([
      [1, 12],
      [2, 10],
    ]);
    expect(runs[0]?.run.points[9]?.values["rollout/returnMean"]).toBeCloseTo(0.59);
  });

  it("names a run of W&B as W&B names it", () => {
    const bytes = readFileSync(new URL("../../../../packages/trainers/logs/testing/wandbRun.wandb", import.meta.url));
    const file = readForeignFile("run-fixture1.wandb", new Uint8Array(bytes));
    const { cells, runs } = planImport([
      { fileName: "wandb/offline-run-20261122_1-fixture1/run-fixture1.wandb", file },
    ]);
    expect(cells[0]).toMatchObject({ method: "GRPO", spec: { environment: { id: "sokoban" } } });
    expect(runs.map(({ seed, run }) => [seed, run.points.length])).toEqual([[3, 24]]);
    expect(runs[0]?.run.points[9]?.values["update/gradientNorm"]).toBeNaN();
  });

  it("leaves out the console output that W&B keeps of a run, and says so", () => {
    const bytes = readFileSync(new URL("../../../../packages/trainers/logs/testing/wandbRun.wandb", import.meta.url));
    const run = "wandb/offline-run-20261122_1-fixture1";
    const { runs, left } = planImport([
      { ...named("grpo.jsonl"), fileName: `${run}/files/output.log` },
      { fileName: `${run}/run-fixture1.wandb`, file: readForeignFile("run-fixture1.wandb", new Uint8Array(bytes)) },
    ]);
    expect(runs).toHaveLength(1);
    const reason = "console output of a W&B run whose .wandb file is imported";
    expect(left).toEqual([{ file: `${run}/files/output.log`, reason }]);
  });

  it("names the table that has no column of steps", () => {
    const read = () => readForeignFile("runs.csv", new TextEncoder().encode("name,reward\na,1\n"));
    expect(read).toThrow("runs.csv: the CSV file has no step column");
  });

  it("becomes specifications that are stored and read back as imported ones", () => {
    const [cell] = planImport([named("grpo_sokoban_s1.jsonl")]).cells;
    const stored = parseStoredSpec(JSON.parse(JSON.stringify(cell?.spec)));
    expect(isImported(stored)).toBe(true);
    expect(stored).toMatchObject({ environment: { id: "sokoban" }, budget: { iterations: 1 } });
  });

  it("becomes an event log that our own readers read", () => {
    const [planned] = planImport([named("grpo.jsonl", NaN)]).runs;
    if (!planned) throw new Error("no run");
    const text = [...toEventLog(planned.run, { specHash: "h", code: "verlFile", atMs: 5 })].join("");
    const events = text
      .trimEnd()
      .split("\n")
      .map((one) => RunEvent.parse(JSON.parse(one)));
    expect(events.map(({ type, seq }) => [type, seq])).toEqual([
      ["started", 0],
      ["metrics", 1],
      ["done", 2],
    ]);
    expect(parseEventLog(text)).toEqual([{ iteration: 1, values: { "rollout/successRate": NaN } }]);
  });
});

describe("names that cannot be stored", () => {
  it("cost nothing but themselves, and are reported", () => {
    const long = "v".repeat(501);
    const rows = [1, 2].map((step) =>
      JSON.stringify({ step, reward: 0.5, "": 3, [long]: 1, "a\0b": 2, ["k".repeat(227)]: 4 }),
    );
    const huge = JSON.stringify({ step: 2 ** 31, reward: 1 });
    const file = keepStorable("x.jsonl", read("x.jsonl", `${[...rows, huge].join("\n")}\n`));
    const [run] = runsOf(file);
    expect(run?.points.map(({ iteration, values }) => [iteration, Object.keys(values).length])).toEqual([
      [1, 2],
      [2, 2],
    ]);
    expect(file.notes).toEqual([
      "the metric “” has no name: left out",
      `the metric “${"v".repeat(60)}”… has 501 characters, limit is 500: left out`,
      "the metric “a\\u0000b” has a NUL character at position 1: text has none: left out",
      "1 line has a step outside 0 to 2147483647, which cannot be stored; left out, the first is 2147483648",
    ]);
  });
});

describe("two logs of one resumed run in a folder", () => {
  const log = (from: number, to: number, write: (step: number) => string) =>
    `${Array.from({ length: to - from + 1 }, (_, i) => write(from + i)).join("\n")}\n`;
  const verl = (step: number) => `step:${step} - critic/score/mean:0.${step} - actor/grad_norm:1.0`;
  const trl = (step: number) => `{'loss': 0.1, 'reward': 0.${step}, 'epoch': ${step / 50}}`;
  const planOf = (files: Record<string, string>) =>
    planImport(Object.entries(files).map(([fileName, text]) => ({ fileName, file: read(fileName, text) })));

  it.each([
    ["a word", "runs/grpo_s1.log", "runs/grpo_s1_resumed.log", verl],
    ["a job's number", "runs/slurm-1001.out", "runs/slurm-1002.out", verl],
    ["a rotation", "runs/train_a.log.1", "runs/train_a.log", verl],
    ["printed without steps, by its epochs", "runs/part1.txt", "runs/part2.txt", trl],
    ["a word behind a program's name", "grpo_s4/train.log", "grpo_s4/train_resume.log", verl],
    ["a number behind a program's name", "grpo_s4/train.log", "grpo_s4/train_2.log", verl],
    ["an older name", "grpo_s4/train_1.log", "grpo_s4/train.log", verl],
    ["a rotation, printed without steps", "grpo_s4/train.log.1", "grpo_s4/train.log", trl],
  ])("are one run, told apart by %s", (_, before, after, write) => {
    const { runs, notes } = planOf({ [after]: log(51, 90, write), [before]: log(1, 60, write) });
    expect(runs).toHaveLength(1);
    expect(runs[0]?.run.points).toHaveLength(90);
    expect(runs[0]?.run.points.at(-1)?.iteration).toBe(90);
    expect(notes.join("\n")).toContain("read as one run");
  });

  it("count as the later one does, also where that ends earlier", () => {
    const again = (step: number) => verl(step).replace("mean:0.", "mean:1.");
    const { cells, runs } = planOf({
      "grpo_s4/train_resume.log": log(51, 55, again),
      "grpo_s4/train.log": log(1, 60, verl),
      "grpo_s4/metrics.jsonl": log(1, 60, (step) => JSON.stringify({ step, entropy: step })),
    });
    expect([cells[0]?.method, runs.map(({ seed, run }) => [seed, run.points.length])]).toEqual(["GRPO", [[4, 55]]]);
    expect(runs[0]?.run.points[52]?.values["rollout/returnMean"]).toBe(1.53);
  });

  it.each([
    ["another seed", { "runs/grpo_s1.log": log(1, 60, verl), "runs/grpo_s2.log": log(51, 90, verl) }],
    ["another folder", { "a/grpo_s1.log": log(1, 60, verl), "b/grpo_s1.log": log(51, 90, verl) }],
    ["another method", { "runs/grpo.log": log(1, 60, verl), "runs/gspo.log": log(51, 90, verl) }],
    ["its own beginning", { "runs/run_1.log": log(1, 60, verl), "runs/run_2.log": log(1, 90, verl) }],
    ["a gap between them", { "runs/run_1.log": log(1, 60, verl), "runs/run_2.log": log(200, 290, verl) }],
  ])("stay two with %s", (_, files) => expect(planOf(files).runs).toHaveLength(2));
});
