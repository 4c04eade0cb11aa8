import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { toEffective, labelPoints } from "#packages/detector";
import type { NamedFile } from "./foreignRun.ts";
import { planImport } from "./planImport.ts";
import { usualSampling } from "./foreignRun.ts";
import { readForeignFile } from "./readForeignFile.ts";

type File = { fileName: string; text: string };

const steps = (count: number) => Array.from({ length: count }, (_, i) => i + 1);
const line = (step: number, values: object) => JSON.stringify({ step, ...values });
const wave = (step: number) => 0.5 + 0.01 * (step % 7);
const flat = (step: number, spoil = wave(step)) =>
  line(step, { "actor/pg_loss": 0.1, "actor/grad_norm": wave(step), "episode/success_rate": spoil });
const one = (lines: readonly string[], fileName = "grpo_s1.jsonl"): File[] => [
  { fileName, text: `${lines.join("\n")}\n` },
];
const state = (count: number, from = 0) =>
  JSON.stringify({ log_history: steps(count).map((step) => ({ step, loss: 0.1, reward: wave(step + from) })) });
const spoiled = (text: string, word: string) => text.replace('"actor/pg_loss":0.1', `"actor/pg_loss":${word}`);

/** Realistic uploads that earlier versions ignored, deleted or wrongly labelled healthy. */
const logs: Record<string, readonly File[]> = {
  "NaN from step 100 on": one(steps(140).map((step) => (step < 100 ? flat(step) : spoiled(flat(step), "NaN")))),
  "Infinity in trainer_state.json": [
    { fileName: "out/a/trainer_state.json", text: state(60).replace(/"loss":0.1(?=[^}]*}]})/, '"loss":Infinity') },
  ],
  "other output between the lines": one(steps(40).flatMap((step) => [flat(step), `progress ${step}/40 \u001b[2K`])),
  "evaluations three steps late": one(
    steps(400).flatMap((step) => [
      flat(step),
      ...(step % 5 === 0 ? [line(step - 3, { "val/success_rate": 0.5 })] : []),
    ]),
  ),
  "a restart from step 31": one([
    ...steps(60).map((step) => flat(step)),
    ...steps(40).map((s) => flat(s + 30, 0.3 + s / 99)),
  ]),
  "success from 0 to 100": one(steps(120).map((step) => flat(step, step < 60 ? 80 + (step % 5) : 3))),
  "negative returns": one(steps(80).map((step) => line(step, { "critic/score/mean": -40 + (step % 5) }))),
  "verl's keys in flat lines": one(steps(40).map((step) => flat(step))),
  "checkpoint-50/trainer_state.json": [{ fileName: "out/gspo_s2/checkpoint-50/trainer_state.json", text: state(50) }],
  "two snapshots of one run": [
    { fileName: "out/gspo_s2/checkpoint-90/trainer_state.json", text: state(90) },
    { fileName: "out/gspo_s2/checkpoint-50/trainer_state.json", text: state(50) },
  ],
  "an offline run of W&B": [],
  "a NaN return beside success of .8": one(
    steps(80).map((step) =>
      line(step, { "episode/success_rate": 0.8, "critic/score/mean": 2 }).replace(":2", step > 40 ? ":NaN" : ":2"),
    ),
  ),
};

function readAll(files: readonly File[]): NamedFile[] {
  if (files.length === 0) {
    const bytes = readFileSync(new URL("../../../../packages/trainers/logs/testing/wandbRun.wandb", import.meta.url));
    const fileName = "wandb/offline-run-1/run-fixture1.wandb";
    return [{ fileName, file: readForeignFile(fileName, new Uint8Array(bytes)) }];
  }
  return files.map(({ fileName, text }) => {
    return { fileName, file: readForeignFile(fileName, new TextEncoder().encode(text)) };
  });
}

it("says of twelve hostile logs what was read and what was not", () => {
  const rows = Object.entries(logs).map(([title, files]) => {
    const named = readAll(files);
    const { cells, runs } = planImport(named);
    const read = runs.map(({ cellIndex, seed, run }) => {
      const { kind, tags } = labelPoints(run.points, toEffective(usualSampling));
      const label = [kind, ...tags].join(" + ");
      return `${cells[cellIndex]?.method} seed ${seed}, ${run.points.length} steps: ${label}`;
    });
    const told = runs.flatMap(({ run }) => run.notes).join("; ") || "–";
    return `${title} | ${named[0]?.file.format}: ${read.join("; ")} | ${told}`;
  });
  expect(`\n${rows.join("\n")}\n`).toMatchInlineSnapshot(`
    "
    NaN from step 100 on | metrics: GRPO seed 1, 140 steps: nonFinite | –
    Infinity in trainer_state.json | trlState: a seed 0, 60 steps: healthy | –
    other output between the lines | metrics: GRPO seed 1, 40 steps: healthy + stalled | 40 lines were not understood: the first are “progress 1/40 ” (line 2), “progress 2/40 ” (line 4), “progress 3/40 ” (line 6)
    evaluations three steps late | metrics: GRPO seed 1, 400 steps: healthy + stalled | –
    a restart from step 31 | metrics: GRPO seed 1, 70 steps: dip | went back to step 31 after step 60: what was logged again replaces what was before
    success from 0 to 100 | metrics: GRPO seed 1, 120 steps: collapseTerminal | episode/success_rate lies between 3 and 84: it is read as per cent and divided by 100
    negative returns | metrics: GRPO seed 1, 80 steps: healthy | –
    verl's keys in flat lines | metrics: GRPO seed 1, 40 steps: healthy + stalled | –
    checkpoint-50/trainer_state.json | trlState: GSPO seed 2, 50 steps: healthy | –
    two snapshots of one run | trlState: GSPO seed 2, 90 steps: healthy | –
    an offline run of W&B | wandb: GRPO seed 3, 24 steps: healthy | –
    a NaN return beside success of .8 | metrics: GRPO seed 1, 80 steps: healthy + stalled | –
    "
  `);
});
