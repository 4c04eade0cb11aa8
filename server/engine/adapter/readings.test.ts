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

function run(program: string, metrics: MetricsSource) {
  return runExternal({
    job: { name: "own", argv: [process.execPath, "-e", program], environment: {}, folder, metrics, notes: [] },
    folder,
    specHash: "",
    resumeFrom: undefined,
    stop: new AbortController().signal,
    output: { stdout: process.stdout, stderr: process.stderr },
  });
}

async function readNotes(): Promise<string[]> {
  const lines = (await readFile(join(folder, "events.jsonl"), "utf8").catch(() => "")).split("\n").slice(0, -1);
  const events = lines.map((line) => RunEvent.parse(JSON.parse(line)));
  return events.flatMap((event) => (event.type === "note" && event.about === "reading" ? [event.text] : []));
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
