import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { readLiveAttempts } from "#server/db/fleet/attempts.ts";
import { makeMetricIds } from "#server/db/runs/pointWrites.ts";
import { readSeries } from "#server/db/runs/points.ts";
import { makeTestDatabase } from "#server/db/testing/testDatabase.ts";
import { insertRun } from "#server/db/testing/insertRun.ts";
import { applyLog, type LogPosition } from "./applyLog.ts";
import { drainLog } from "./drainLog.ts";

const database = await makeTestDatabase();
afterAll(() => database.close());
const storage = { pool: database.pool, metricIds: makeMetricIds(database.pool) };
let numRuns = 0;
let runId = "";
let start: LogPosition;

beforeEach(async () => {
  runId = `run-${++numRuns}`;
  const attemptId = await insertRun(database, runId);
  start = { attemptId, logOffset: 0, lastSeq: -1, numMetricLines: 0 };
});

describe("applying a log", () => {
  it("stores every point once, NaN and infinities among them", async () => {
    await apply(start, [
      started(0),
      metrics(1, 1, { a: 1.5, b: "NaN" }),
      metrics(2, 2, { a: "-Infinity", b: "Infinity" }),
    ]);
    expect(await stored("a")).toEqual({ iterations: [1, 2], values: [1.5, -Infinity] });
    expect(await stored("b")).toEqual({ iterations: [1, 2], values: [NaN, Infinity] });
    const run = await database.prisma.run.findUniqueOrThrow({ where: { id: runId } });
    expect(run.latestIteration).toBe(2);
  });

  it("lets one of two readers apply the same lines", async () => {
    const lines = [started(0), metrics(1, 1, { a: 1 }), metrics(2, 2, { a: 2 })];
    const outcomes = await Promise.all([1, 2, 3].map(() => apply(start, lines)));
    expect(outcomes.filter((position) => position !== undefined)).toHaveLength(1);
    expect(await stored("a")).toEqual({ iterations: [1, 2], values: [1, 2] });
  });

  it("reads a log in pieces as it reads it whole, wherever the pieces are cut", { tags: "soak" }, async () => {
    const bytes = toBytes([started(0), metrics(1, 1, { a: 1 }), "foreign", metrics(2, 2, { a: 2 }), done(3, 2)]);
    for (let cut = 0; cut <= bytes.length; cut += 7) {
      const attemptId = await insertRun(database, `${runId}-${cut}`);
      const from = { ...start, attemptId };
      const half = await applyLog(storage, from, { bytes: bytes.subarray(0, cut), isFinal: false });
      const rest = bytes.subarray(half?.logOffset ?? 0);
      const end = await applyLog(storage, half ?? from, { bytes: rest, isFinal: true });
      expect(end, `cut at ${cut}`).toEqual({ attemptId, logOffset: bytes.length, lastSeq: 3, numMetricLines: 2 });
      const [attempt] = await database.prisma.attempt.findMany({ where: { id: attemptId } });
      expect(attempt).toMatchObject({ numMetricLines: 2, numRejected: 1, done: { exit: "completed" } });
    }
  });

  it("leaves nothing behind when the reader dies before the commit, and everything when it reads again", async () => {
    const lines = [started(0), metrics(1, 1, { a: 1 }), "foreign", metrics(2, 2, { a: 2 }), note(3)];
    const tables = ["metric_row", "rejected_line", "status_event", "attempt", "run"];
    for (const table of tables) {
      // For each table in turn, the server closes the reader's connection when its transaction writes to that table.
      await database.pool.query(`
        CREATE OR REPLACE FUNCTION die() RETURNS trigger AS 'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END'
        LANGUAGE plpgsql;
        CREATE TRIGGER die AFTER INSERT OR UPDATE ON ${table} FOR EACH STATEMENT EXECUTE FUNCTION die()`);
      await expect(apply(start, lines), table).rejects.toThrow(/terminat/);
      await database.pool.query(`DROP TRIGGER die ON ${table}`);
      expect(await stored("a"), table).toBeUndefined();
      expect(await readLiveAttempts(database).then((all) => all.find(isOurs))).toMatchObject({
        logOffset: 0,
        lastSeq: -1,
      });
    }
    await apply(start, lines);
    expect(await stored("a")).toEqual({ iterations: [1, 2], values: [1, 2] });
    expect(await history()).toEqual(["trainer: hello", expect.stringContaining("1 line of the log was set aside")]);
  });

  it("sets a repeated line aside and remarks a missing one", async () => {
    await apply(start, [started(0), metrics(1, 1, { a: 1 }), metrics(1, 1, { a: 9 }), metrics(4, 4, { a: 4 })]);
    expect(await stored("a")).toEqual({ iterations: [1, 4], values: [1, 4] });
    expect((await rejected()).map(({ problem }) => problem)).toEqual(["line 1 again, after line 1"]);
    expect(await history()).toEqual([
      expect.stringContaining("lacks lines 2 to 3"),
      expect.stringContaining("line 1 again"),
    ]);
  });

  it("keeps foreign lines with their place and reason", async () => {
    await apply(start, [started(0), "Segmentation fault \0", metrics(1, 1, { a: 1 })]);
    expect(await rejected()).toEqual([
      { offset: BigInt(toBytes([started(0)]).length), problem: "not JSON", text: "Segmentation fault ␀" },
    ]);
    expect(await stored("a")).toEqual({ iterations: [1], values: [1] });
  });

  it("sets aside a proper event that no column can hold, and only that", async () => {
    const lines = [1, 2, 3, 4, 5, 6, 7].map((seq) => metrics(seq, seq === 5 ? 2 ** 40 : seq, { a: seq }));
    await apply(start, [started(0), ...lines, metrics(8, 8, { "nul\0": 1 }), metrics(9, 9, { a: 9 })]);
    expect(await stored("a")).toEqual({ iterations: [1, 2, 3, 4, 6, 7, 9], values: [1, 2, 3, 4, 6, 7, 9] });
    expect((await rejected()).map(({ problem }) => problem)).toEqual([
      expect.stringContaining("out of range"),
      expect.stringContaining("invalid byte sequence"),
    ]);
  });

  it("remarks that the trainer wrote more lines than arrived", async () => {
    await apply(start, [started(0), metrics(1, 1, { a: 1 }), done(2, 5)]);
    expect(await history()).toEqual(["orchestrator: The trainer wrote 5 lines of metrics, the log has 1."]);
  });

  it("drains a log to its end and judges the torn line only then", async () => {
    const bytes = new TextEncoder().encode(`${JSON.stringify(started(0))}\n{"torn`);
    const readLog = (from: number) => Promise.resolve(bytes.subarray(from));
    expect(await drainLog(storage, start, { readLog, hasEnded: false })).toBe(false);
    expect(await rejected()).toEqual([]);
    expect(await drainLog(storage, start, { readLog, hasEnded: true }), "stale position").toBe(false);
    const [attempt] = (await readLiveAttempts(database)).filter(isOurs);
    expect(await drainLog(storage, attempt ?? start, { readLog, hasEnded: true })).toBe(true);
    expect(await rejected()).toHaveLength(1);
  });
});

type Line = object | string;
const line = { v: 1, atMs: 1e12 };
const started = (seq: number) => ({
  ...line,
  seq,
  type: "started",
  specHash: "",
  code: "",
  host: "",
  pid: 1,
  numParameters: 1,
  vocabularySize: 1,
  firstIteration: 1,
});
const metrics = (seq: number, iteration: number, values: object) => ({
  ...line,
  seq,
  type: "metrics",
  iteration,
  optimizerStep: 0,
  values,
});
const note = (seq: number) => ({ ...line, seq, type: "note", level: "info", text: "hello" });
const done = (seq: number, numMetricLines: number) => ({
  ...line,
  seq,
  type: "done",
  exit: "completed",
  reason: "",
  numMetricLines,
});

function toBytes(lines: readonly Line[]): Uint8Array {
  return new TextEncoder().encode(
    lines.map((one) => `${typeof one === "string" ? one : JSON.stringify(one)}\n`).join(""),
  );
}

function apply(from: LogPosition, lines: readonly Line[]) {
  return applyLog(storage, from, { bytes: toBytes(lines), isFinal: false });
}

async function stored(key: string) {
  const [series] = await readSeries(database.pool, { runIds: [runId], keys: [key] });
  return series && { iterations: [...series.iterations], values: [...series.values] };
}

function isOurs({ attemptId }: { attemptId: number }): boolean {
  return attemptId === start.attemptId;
}

function rejected() {
  const select = { offset: true, problem: true, text: true };
  return database.prisma.rejectedLine.findMany({
    where: { attemptId: start.attemptId },
    select,
    orderBy: { offset: "asc" },
  });
}

async function history(): Promise<string[]> {
  const events = await database.prisma.statusEvent.findMany({ where: { runId }, orderBy: { id: "asc" } });
  return events.map(({ source, text }) => `${source}: ${text}`);
}
