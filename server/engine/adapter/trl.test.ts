import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parseTrainerState } from "#packages/trainers/logs/trl.ts";
import { resolveTemplate, TrainersFile, type ExternalJob } from "#packages/trainers";
import { exitCodes, RunEvent } from "#trainer/spec/event.ts";
import { methods } from "#trainer/spec/method.ts";
import { RunSpec } from "#trainer/spec/run.ts";
import { runExternal } from "./runExternal.ts";

/** Python with `trl` and `mlflow`; without it, the tests that train are skipped. */
const python = process.env["ARLARENA_TRL_PYTHON"];

let home = "";
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "arlarena-trl-"));
});
afterEach(() => rm(home, { recursive: true, force: true }));

const folderOf = (attempt: number) => join(home, "runs/some-run", String(attempt));

async function run(job: ExternalJob, attempt: number) {
  await mkdir(folderOf(attempt), { recursive: true });
  const said: string[] = [];
  const keep = () => new PassThrough().on("data", (bytes: Buffer) => said.push(bytes.toString()));
  const exit = await runExternal({
    job,
    folder: folderOf(attempt),
    specHash: "hash",
    resumeFrom: attempt > 1 ? folderOf(attempt - 1) : undefined,
    stop: new AbortController().signal,
    output: { stdout: keep(), stderr: keep() },
  });
  expect(exit, said.join("").slice(-3000)).toBe(exitCodes.completed);
  const lines = (await readFile(join(folderOf(attempt), "events.jsonl"), "utf8")).trim().split("\n");
  const events = lines.map((line) => RunEvent.parse(JSON.parse(line)));
  return {
    said: said.join(""),
    started: events.find((event) => event.type === "started"),
    notes: events.flatMap((event) => (event.type === "note" ? event.text : [])),
    metrics: events.filter((event) => event.type === "metrics"),
  };
}

const printing: Omit<ExternalJob, "argv"> = {
  name: "trl",
  environment: {},
  folder: tmpdir(),
  metrics: { kind: "trlPrinted" },
  notes: [],
};

describe("a program that prints as TRL does", () => {
  const training = (epoch: number) => `{'loss': '0.5', 'epoch': '${epoch}'}`;
  const evaluation = (epoch: number) => `{'eval_loss': '0.4', 'epoch': '${epoch}'}`;
  const closing = "{'train_runtime': '3', 'train_loss': '0.4', 'epoch': '1'}";
  const options = ["--logging_steps", "2", "--eval_strategy", "steps", "--eval_steps", "4", "--max_steps", "10"];
  const jobOf = (attempt: number, lines: readonly string[]) => {
    const output = ["--output_dir", join(folderOf(attempt), "output")];
    const program = `for (const line of ${JSON.stringify([...lines, closing])}) console.log(line)`;
    return { ...printing, argv: [process.execPath, "-e", program, "--", ...options, ...output] };
  };
  const save = async (name: string, state: object) => {
    const folder = join(folderOf(1), "output", name);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "trainer_state.json"), JSON.stringify(state));
  };
  const steps = (metrics: readonly { iteration: number; values: object }[]) =>
    metrics.flatMap(({ iteration, values }) => Object.keys(values).map((key) => `${iteration} ${key}`)).filter(isLoss);
  const isLoss = (text: string) => text.endsWith("eval_loss") || text.endsWith("loss/total");

  it("has the steps that its command tells", async () => {
    const { metrics, started, notes } = await run(jobOf(1, [training(0.2), training(0.4), evaluation(0.4)]), 1);
    expect(steps(metrics)).toEqual(["2 loss/total", "4 loss/total", "4 eval_loss"]);
    expect(started).toMatchObject({ firstIteration: 1, lastIteration: 10 });
    expect(notes).toEqual([]);
  });

  it("keeps its numbers where it goes on from the attempt before", async () => {
    await save("checkpoint-4", { global_step: 4, epoch: 0.4 });
    await save("checkpoint-6", { global_step: 6, epoch: 0.6 });
    await save("checkpoint-10", {});
    const { metrics, started } = await run(jobOf(2, [training(0.8), evaluation(0.8), training(1)]), 2);
    expect(steps(metrics)).toEqual(["8 loss/total", "8 eval_loss", "10 loss/total"]);
    expect(started).toMatchObject({ firstIteration: 7 });
  });

  it.each([
    [0, "mlflow is installed beside it: --report_to mlflow was added", "true"],
    [1, "four digits", "false"],
  ])("is told to send where its Python has mlflow (find_spec ends with %i)", async (code, note, isAdded) => {
    const stub = join(home, "python");
    await writeFile(stub, `#!/bin/sh\nexit ${code}\n`, { mode: 0o755 });
    const told = `console.log(process.argv.join(" ").endsWith("--report_to mlflow"))`;
    const reporting = {
      python: [stub],
      module: "mlflow",
      arguments: ["--report_to", "mlflow"],
      without: "four digits",
    };
    const { said, notes } = await run({ ...printing, argv: [process.execPath, "-e", told, "--"], reporting }, 1);
    expect(said.trim()).toBe(isAdded);
    expect(notes).toContain(note);
  });
});

describe.skipIf(!python)(
  "TRL itself (skipped unless ARLARENA_TRL_PYTHON names a Python that has trl and mlflow)",
  () => {
    const { aggregation, clipping, advantage, sampling } = methods.grpo;
    const spec = RunSpec.parse({
      v: 1,
      seed: 1,
      environment: { id: "sokoban" },
      method: { aggregation, clipping, advantage, sampling },
      trainer: { name: "trl", options: {} },
      rollout: { groupSize: 4, numGroups: 1, maxResponseTokens: 4 },
      update: { klCoef: 0 },
      budget: { iterations: 4 },
      evaluation: { every: 2 },
      execution: { checkpointEvery: 2 },
    });
    const own = ["--use_cpu", "--per_device_train_batch_size", "4", "--per_device_eval_batch_size", "4"];
    const evaluating = ["--eval_strategy", "steps", "--eval_on_start"];
    const jobOf = (attempt: number, more: readonly string[]) => {
      const script = join(import.meta.dirname, "testing/grpo.py");
      const template = { kind: "trl", python, script, arguments: [...own, ...evaluating, ...more] };
      const place = { folder: folderOf(attempt), runFolder: join(home, "runs/some-run"), run: "r", attempt, home };
      return resolveTemplate(TrainersFile.parse({ trainers: { trl: template } }).trainers, spec, place);
    };
    /** Reads the measurements in TRL's own state, by step and without timings. */
    const stateOf = async (attempt: number) => {
      const text = await readFile(join(folderOf(attempt), "output/trainer_state.json"), "utf8");
      const entries = (parseTrainerState(text)?.steps ?? []).filter(({ values }) => !("train_runtime" in values));
      return entries.map(({ step, values }) => ({ step, reward: values["reward"] ?? values["eval_reward"] }));
    };

    it("has its steps and full precision where it sends, its steps where it prints", async () => {
      const sent = await run(jobOf(1, []), 1);
      const rewards = sent.metrics.flatMap(({ iteration: step, values }) => {
        const reward = values["rollout/returnMean"] ?? values["evaluation/returnMean"];
        return reward === undefined ? [] : [{ step, reward: Number(reward) }];
      });
      const order = (all: readonly { step: number; reward: number | undefined }[]) =>
        all.map(({ step, reward }) => `${step} ${reward}`).sort();
      expect(order(rewards)).toEqual(order(await stateOf(1)));
      expect(sent.notes).toContain("mlflow is installed beside it: --report_to mlflow was added");

      // The second attempt resumes from the first one's newest checkpoint and trains more steps. It only prints its
      // values.
      const printed = await run(jobOf(2, ["--report_to", "none", "--max_steps", "6"]), 2);
      expect(printed.started).toMatchObject({ firstIteration: 5 });
      const stepsOf = (all: readonly number[]) => [...new Set(all)];
      const logged = (await stateOf(2)).slice((await stateOf(1)).length);
      expect(stepsOf(printed.metrics.map(({ iteration }) => iteration))).toEqual(
        stepsOf(logged.map(({ step }) => step)),
      );
    });
  },
);
