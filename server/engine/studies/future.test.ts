import { gzipSync } from "node:zlib";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { keepStorable } from "#server/domain/trainers/import/keepStorable.ts";
import { readForeignFile } from "#server/domain/trainers/import/readForeignFile.ts";
import { messages } from "#server/domain/trainers/mlflow/messages.ts";
import { StudyHead } from "./studyFile.ts";
import { StudyLines } from "./studyLines.ts";

const dayMs = 24 * 3600 * 1000;
const end = new Date(8.64e15).toISOString();

it("refuses a study from the future, naming field, value and limit, and allows for a clock that is ahead", async () => {
  const folder = await mkdtemp(join(tmpdir(), "arlarena-future-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const readHead = async (createdAt: string) => {
    const sweep = { id: "s", name: "s", description: "", createdAt, plan: {}, planHash: "", cells: [] };
    const head = { type: "arlarena study", v: 1, exportedAt: createdAt, sweeps: [sweep], proofs: [] };
    const path = join(folder, "study.arlarena");
    await writeFile(path, gzipSync(`${JSON.stringify(head)}\n`));
    const lines = new StudyLines(path);
    try {
      return await lines.parse(StudyHead);
    } finally {
      await lines.close();
    }
  };
  await expect(readHead(end)).rejects.toThrow(
    /line 1 of the study: .*sweeps\.0\.createdAt: is \+275760-09-13T00:00:00\.000Z, which must be at most a day after now/,
  );
  await readHead(new Date(Date.now() + dayMs / 2).toISOString());
});

it("refuses a run of MLflow that begins or ends in the future, and keeps its measurements whatever their time", () => {
  const start = { experiment_id: "0", start_time: 8.64e15, tags: [] };
  expect(messages.createRun.safeParse(start).error?.issues[0]?.message).toMatch(/^is \+275760-.* check the clock/);
  const update = { run_id: "r", status: "FINISHED", end_time: Date.now() + 2 * dayMs };
  expect(messages.updateRun.safeParse(update).error?.issues[0]?.message).toMatch(/at most a day after now/);
  expect(messages.createRun.safeParse({ ...start, start_time: Date.now() + dayMs / 2 }).success).toBe(true);
});

it("leaves out times of an imported log that are in the future, says so, and keeps the values", () => {
  const text = [1, 2].map((step) => `${JSON.stringify({ step, loss: step })}\n`).join("");
  const read = readForeignFile("a_s1.jsonl", Buffer.from(text));
  const times = [1.7e12, 4e15];
  const runs = read.runs.map((run) => ({
    ...run,
    lines: run.lines.map((line, i) => ({ ...line, atMs: times[i] ?? 0 })),
  }));
  const file = { ...read, runs };
  const kept = keepStorable("a_s1.jsonl", file);
  expect(kept.runs[0]?.lines.map(({ atMs }) => atMs)).toEqual([1.7e12, undefined]);
  expect(kept.runs[0]?.lines.map(({ values }) => values["loss"])).toEqual([1, 2]);
  expect(kept.notes).toContain("times outside the range of dates, or later than a day after now, are left out");
});
