import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { MetricsSource } from "#packages/trainers";
import { RunEvent } from "#trainer/spec/event.ts";
import { runExternal } from "./runExternal.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "arlarena-readings-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function run(program: string, metrics: MetricsSource, names?: Record<string, string>) {
  const argv = [process.execPath, "-e", program];
  return runExternal({
    job: { name: "own", argv, environment: {}, folder, metrics, notes: [], ...(names && { names }) },
    folder,
    specHash: "",
    resumeFrom: undefined,
    stop: new AbortController().signal,
    output: { stdout: process.stdout, stderr: process.stderr },
  });
}

async function readNotes(about = "reading"): Promise<string[]> {
  const lines = (await readFile(join(folder, "events.jsonl"), "utf8").catch(() => "")).split("\n").slice(0, -1);
  const events = lines.map((line) => RunEvent.parse(JSON.parse(line)));
  return events.flatMap((event) => (event.type === "note" && event.about === about ? [event.text] : []));
}

it("notes success in per cent while the program runs, once", async () => {
  const program = `
    const { existsSync } = require("node:fs");
    const rates = [0, 0.8, 12.5, 50];
    rates.forEach((rate, i) => console.log(JSON.stringify({ step: i + 1, "episode/success_rate": rate })));
    const timer = setInterval(() => existsSync("go") && clearInterval(timer), 20);
  `;
  const ended = run(program, { kind: "jsonLines" });
  const note = [
    "episode/success_rate was 12.5 at step 3: rules read it as per cent, divided by 100; " +
      "curves and tables show it as it was logged",
  ];
  while ((await readNotes()).length === 0) await sleep(50);
  expect(await readNotes()).toEqual(note);
  await writeFile(join(folder, "go"), "");
  expect(await ended).toBe(0);
  expect(await readNotes()).toEqual(note);
});

it("counts entries of a trainer's state that have no step, each once", async () => {
  const history = [{ step: 1, loss: 0.5 }, { loss: 0.4 }, { step: 2, loss: 0.3 }, { train_runtime: 3 }];
  const write = (entries: readonly object[]) =>
    `fs.writeFileSync("state.json", ${JSON.stringify(JSON.stringify({ log_history: entries }))});`;
  const program = `${write(history.slice(0, 2))} setTimeout(() => { ${write(history)} }, 1500);`;
  expect(await run(program, { kind: "trlState", file: join(folder, "state.json") })).toBe(0);
  expect(await readNotes()).toEqual(['2 entries were not understood: they are “{"loss":0.4}”, “{"train_runtime":3}”']);
});

const named = {
  "val-core/openai/gsm8k/reward/mean@1": "evaluation/successRate",
  "critic/score/mean": "rollout/successRate",
};

it("reports a metric that the plan names and the first evaluation does not log, while the program runs", async () => {
  const program = `
    const { existsSync } = require("node:fs");
    console.log("step:0 - val-core/openai/gsm8k/acc/mean@1:np.float64(0.25)");
    console.log("step:1 - critic/score/mean:0.5");
    const timer = setInterval(() => existsSync("go") && clearInterval(timer), 20);
  `;
  const ended = run(program, { kind: "verlConsole" }, named);
  const text =
    "the plan names val-core/openai/gsm8k/reward/mean@1 as evaluation/successRate, but the program's first evaluation " +
    "(step 0) did not log it; it logged val-core/openai/gsm8k/acc/mean@1: name that in the plan";
  while ((await readNotes("missingMetric")).length === 0) await sleep(50);
  expect(await readNotes("missingMetric")).toEqual([text]);
  await writeFile(join(folder, "go"), "");
  expect(await ended).toBe(0);
  expect(await readNotes("missingMetric")).toEqual([text]);
});

it("reports nothing if each named metric is logged, even in a later line of its step", async () => {
  const program = `
    console.log("step:1 - critic/score/mean:0.5");
    console.log("step:1 - val-core/openai/gsm8k/acc/mean@1:0.5");
    console.log("step:1 - val-core/openai/gsm8k/reward/mean@1:0.5");
    console.log("step:2 - critic/score/mean:0.5");
  `;
  expect(await run(program, { kind: "verlConsole" }, named)).toBe(0);
  expect(await readNotes("missingMetric")).toEqual([]);
});

it("reports a named training metric after the first step, and a metric of an evaluation that never came at the end", async () => {
  const program = `[1, 2, 3].forEach((step) => console.log("step:" + step + " - actor/grad_norm:0.5"))`;
  expect(await run(program, { kind: "verlConsole" }, named)).toBe(0);
  expect(await readNotes("missingMetric")).toEqual([
    "the plan names critic/score/mean as rollout/successRate, but the program's first step (step 1) did not log it",
    "the plan names val-core/openai/gsm8k/reward/mean@1 as evaluation/successRate, but the program logged no evaluation by its end (step 3)",
  ]);
});
