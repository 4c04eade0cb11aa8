import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { readTable, readTables } from "#server/api/tables.ts";
import { readSeries } from "#server/db/points.ts";
import { readCells, readRun, readRuns, retryRun } from "#server/db/runs.ts";
import { deleteSweep, listSweeps, readSweep, retryRuns, setSweepIntent } from "#server/db/sweeps.ts";
import { readOpenRuns } from "#server/db/decisions.ts";
import { makeTestDatabase } from "#server/db/testing/testDatabase.ts";
import { isImported } from "#server/domain/import/storedSpec.ts";
import { importFiles, previewImport } from "./importFiles.ts";

const database = await makeTestDatabase();
const home = await mkdtemp(join(tmpdir(), "arlarena-import-"));
afterAll(async () => {
  await database.close();
  await rm(home, { recursive: true, force: true });
});

const file = (name: string, text: string) => ({ name, read: async () => new TextEncoder().encode(text) });

/** A run of verl that learns, then (or not) loses everything. */
function verlLog(seed: number, collapses: boolean): string {
  return Array.from({ length: 80 }, (_, i) => {
    const learned = Math.min(0.8, 0.1 + i * 0.02) + ((i * 7 + seed * 3) % 5) * 0.01;
    const rate = collapses && i > 50 ? 0.01 : learned;
    const data = { "episode/success_rate": rate, "actor/grad_norm": i === 20 ? null : 0.5, "val/success_rate": rate };
    return `${JSON.stringify({ step: i + 1, data })}\n`;
  }).join("");
}

describe("importing finished runs", () => {
  const files = [
    file("grpo_alfworld_seed1.jsonl", verlLog(1, true)),
    file("grpo_alfworld_seed2.jsonl", verlLog(2, false)),
    file("gspo_alfworld_seed1.jsonl", verlLog(3, false)),
  ];

  it("makes a sweep of them whose curves, grid and tables are like any other's", async () => {
    const { sweepId, numCells, numRuns } = await importFiles(database, home, { files, wishes: {} });
    expect([numCells, numRuns]).toEqual([2, 3]);
    const [summary] = (await listSweeps(database)).filter(({ id }) => id === sweepId);
    expect(summary).toMatchObject({ origin: "import", methods: ["GRPO", "GSPO"], environments: ["alfworld"] });
    expect(summary?.counts.finished).toBe(3);
    expect((await readSweep(database, sweepId)).plan).toBeNull();
    const cells = await readCells(database, { sweepIds: [sweepId] });
    expect(cells.map(({ iterations }) => iterations)).toEqual([80, 80]);

    const runs = await readRuns(database, { sweepIds: [sweepId] });
    const [first] = runs;
    const run = await readRun(database, first?.id ?? "");
    expect(isImported(run.spec)).toBe(true);
    expect(run.originals).toMatchObject({ "update/gradientNorm": "actor/grad_norm" });
    const [norms] = await readSeries(database.pool, { runIds: [run.id], keys: ["update/gradientNorm"] });
    expect(norms?.values).toHaveLength(80);
    expect(norms?.values[20]).toBeNaN();

    const { final, longCsv } = await readTables(database, [sweepId], "evaluation/successRate");
    expect(final.rows).toHaveLength(2);
    expect(longCsv).toContain("ALFWorld,all,GRPO");
    const stability = await readTable(database, {
      kind: "stability",
      sweepIds: [sweepId],
      metric: "evaluation/successRate",
    });
    const collapsed = stability.columns.findIndex(({ key }) => key === "collapsed");
    expect(stability.rows.map(({ cells }) => cells[collapsed])).toEqual([
      { kind: "text", text: "1/2" },
      { kind: "text", text: "0/1" },
    ]);
  });

  it("says before and after how files were read, and on the run what of it was not understood", async () => {
    const odd = `what is this\n${verlLog(50, false)}{"torn": \n`;
    const request = { files: [file("odd_s0.jsonl", odd)], wishes: {} };
    const note = 'odd_s0.jsonl: 2 lines were not understood: they are “what is this”, “{"torn": ”';
    expect(await previewImport(database, request)).toEqual({ numCells: 1, numRuns: 1, notes: [note] });
    const { sweepId, notes } = await importFiles(database, home, request);
    expect(notes).toEqual([note]);
    const [row] = await readRuns(database, { sweepIds: [sweepId] });
    const { statusEvents } = await readRun(database, row?.id ?? "");
    expect(
      statusEvents.filter(({ reason }) => reason === "reading").map(({ text }) => `odd_s0.jsonl: ${text}`),
    ).toEqual([note]);
    await deleteSweep(database, sweepId);
  });

  it("keeps the log as the truth, where every run's log lies", async () => {
    const [run] = await readRuns(database, { sweepIds: (await listSweeps(database)).map(({ id }) => id) });
    const text = await readFile(join(home, "runs", run?.id ?? "", "1", "events.jsonl"), "utf8");
    expect(text.trimEnd().split("\n")).toHaveLength(82);
  });

  it("refuses what was imported before, and leaves it out beside something new", async () => {
    await expect(importFiles(database, home, { files, wishes: {} })).rejects.toThrow("was imported before");
    const fresh = file("cispo_s0.jsonl", verlLog(9, false));
    const { numRuns, notes } = await importFiles(database, home, { files: [...files, fresh], wishes: {} });
    expect(numRuns).toBe(1);
    expect(notes).toHaveLength(3);
  });

  it("takes a file again once its sweep was deleted", async () => {
    const again = [file("again_s0.jsonl", verlLog(20, false))];
    const { sweepId } = await importFiles(database, home, { files: again, wishes: {} });
    await deleteSweep(database, sweepId);
    expect((await importFiles(database, home, { files: again, wishes: {} })).numRuns).toBe(1);
  });

  it("leaves nothing behind of an import that fails", async () => {
    const before = await listSweeps(database);
    const broken = [file("ok_s0.jsonl", verlLog(30, false)), file("notes.txt", "nothing\n")];
    await expect(importFiles(database, home, { files: broken, wishes: {} })).rejects.toThrow("notes.txt");
    expect(await listSweeps(database)).toHaveLength(before.length);
  });

  it("is no business of the orchestrator's: nothing to launch, retry, pause or cancel", async () => {
    const [sweep] = await listSweeps(database);
    const [run] = await readRuns(database, { sweepIds: [sweep?.id ?? ""] });
    await database.prisma.run.update({ where: { id: run?.id ?? "" }, data: { status: "failed" } });
    await expect(retryRun(database, run?.id ?? "")).rejects.toThrow("another trainer");
    await expect(retryRuns(database, sweep?.id ?? "")).rejects.toThrow("another trainer");
    await expect(setSweepIntent(database, sweep?.id ?? "", "pause")).rejects.toThrow("another trainer");
    await database.prisma.run.update({ where: { id: run?.id ?? "" }, data: { status: "running" } });
    expect(await readOpenRuns(database, { isRoom: true })).toEqual([]);
  });
});
