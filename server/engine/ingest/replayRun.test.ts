import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { judgeEvent, readCollapseEvents, readNotices } from "#server/db/analysis/collapseEvents.ts";
import {
  forgetStandings,
  readDetections,
  readLogState,
  readUndetected,
  saveReplays,
} from "#server/db/analysis/detections.ts";
import {
  detectorVersion,
  makeDetector,
  toEffective,
  withChanges,
  type Point,
  replay,
  statusChanges,
} from "#packages/detector";
import { generateRun } from "#packages/detector/testing/generate.ts";
import { markChange, readExternalChanges, unmarkChange } from "#server/db/analysis/externalChanges.ts";
import { inTransaction } from "#server/db/storage/inTransaction.ts";
import { makeMetricIds } from "#server/db/runs/pointWrites.ts";
import { readRunPoints } from "#server/db/runs/points.ts";
import { insertAttempt, insertRun } from "#server/db/testing/insertRun.ts";
import { countUntaught } from "#server/db/analysis/untaught.ts";
import { makeTestDatabase } from "#server/db/testing/testDatabase.ts";
import { advance, startStanding } from "#packages/detector/online.ts";
import { samplingOf } from "#server/domain/analysis/stability/samplingOf.ts";
import { toMetricValue } from "#trainer/spec/event.ts";
import { CellSpec } from "#trainer/spec/run.ts";
import { applyLog, type LogPosition } from "./applyLog.ts";
import { replayRuns, replayWaiting } from "./replayRun.ts";

const database = await makeTestDatabase();
afterAll(() => database.close());
const { pool } = database;
const storage = { pool, metricIds: makeMetricIds(pool) };
let numRuns = 0;
let runId = "";
let start: LogPosition;

beforeEach(async () => {
  runId = `detected-${++numRuns}`;
  start = await startAttempt(1);
});

const { points } = generateRun("C_isBlow", 4);
const broken = generateRun("C_nan", 2).points;

describe("detection while a log is read", () => {
  it.each([9, 60, 1000])("tells what a replay of the whole tells, %i lines at a time", async (size) => {
    await applyAll(start, points, size);
    await expectReplayOf(points);
  });

  it.each([5, 1000])("reads a branch after its origin's points, %i lines at a time", async (size) => {
    const [before, after] = [points.slice(0, 60), points.slice(60)];
    const origin = runId;
    const iteration = before.at(-1)?.iteration ?? 0;
    // The branch must not include points of the origin after its own beginning.
    await applyAll(start, [...before, { iteration: iteration + 1, values: { "rollout/successRate": 0 } }], 1000);
    runId = `${origin}-branch`;
    const branch = await startAttempt(1);
    const cell = await database.prisma.cell.findFirstOrThrow({ where: { runs: { some: { id: runId } } } });
    const spec = CellSpec.parse(cell.spec);
    const initialisation = { kind: "branch", run: origin, iteration, origin: { ...spec, v: 1, seed: 0 } };
    await database.prisma.cell.update({ where: { id: cell.id }, data: { spec: { ...spec, initialisation } } });
    await applyAll(branch, after, size, { firstIteration: iteration + 1 });
    expect(await readRunPoints(pool, runId)).toEqual(points);
    await expectReplayOf(points);
  });

  const curriculum = (iterations: number) => ({
    id: "curriculum",
    phases: [{ environment: { id: "sokoban" }, until: { iterations } }, { environment: { id: "webshop" } }],
  });
  // Success falls from 80 to 30 % at iteration 31: a collapse, unless the environment changes there.
  const harder: Point[] = Array.from({ length: 60 }, (_, i) => ({
    iteration: i + 1,
    values: { "rollout/successRate": i < 30 ? 0.8 : 0.3, "update/gradientNorm": 1 },
  }));

  it.each([
    { title: "at a curriculum's switch", environment: curriculum(30), own: curriculum(30), isMarked: true },
    { title: "into another environment", environment: { id: "sokoban" }, own: { id: "webshop" }, isMarked: false },
    { title: "out of a curriculum", environment: curriculum(90), own: { id: "webshop" }, isMarked: false },
  ])("labels a branch $title as its origin, healthy", async ({ environment, own, isMarked }) => {
    const { origin, label } = await branchAfter30({ environment, own, isMarked });
    if (isMarked) expect(await label(origin)).toMatchObject({ kind: "healthy" });
    expect(await label(runId)).toMatchObject({ kind: "healthy" });
  });

  it.each([
    { title: "in the same environment", environment: { id: "sokoban" }, own: { id: "sokoban" } },
    { title: "whose curriculum only switches later", environment: curriculum(90), own: curriculum(91) },
  ])("labels a branch $title as collapsed", async ({ environment, own }) => {
    const { label } = await branchAfter30({ environment, own, isMarked: false });
    expect(await label(runId)).toMatchObject({ kind: "collapseTerminal", collapseStep: 31 });
  });

  it("labels a branch again when a person marks a change of its origin, up to the branch's first iteration", async () => {
    const environment = { id: "sokoban" };
    const { origin, label } = await branchAfter30({ environment, own: environment, isMarked: false });
    const kinds = async () => [(await label(origin))?.kind, (await label(runId))?.kind];
    await markChange(pool, { runId: origin, iteration: 32, text: "too late for the branch" });
    expect(await label(runId)).toMatchObject({ kind: "collapseTerminal" });
    await markChange(pool, { runId: origin, iteration: 31, text: "harder tasks" });
    expect(await kinds()).toEqual(["healthy", "healthy"]);
    expect(await readExternalChanges(pool, [runId])).toMatchObject([{ iteration: 31, source: "origin" }]);
    for (const { id } of await readExternalChanges(pool, [origin])) await unmarkChange(pool, id);
    expect(await kinds()).toEqual(["collapseTerminal", "collapseTerminal"]);
  });

  /** Stores a run of 60 iterations and an equal branch after iteration 30; `label` judges what waits and reads one. */
  async function branchAfter30(of: { environment: object; own: object; isMarked: boolean }) {
    const origin = runId;
    await setSpec(origin, { environment: of.environment });
    const end = await applyAll(start, harder, 1000);
    const mark = { seq: end.lastSeq + 1, type: "event", event: "data", iteration: 31, text: "phase 2" };
    await applyLog(storage, end, { bytes: toBytes(of.isMarked ? [mark] : []), isFinal: false });
    runId = `${origin}-branch`;
    const branch = await startAttempt(1);
    const { spec } = await database.prisma.cell.findFirstOrThrow({ where: { runs: { some: { id: origin } } } });
    const initialisation = { kind: "branch", run: origin, iteration: 30, origin: { ...Object(spec), v: 1, seed: 0 } };
    await setSpec(runId, { environment: of.own, initialisation });
    await applyAll(branch, harder.slice(30), 1000, { firstIteration: 31 });
    await pool.query("UPDATE attempt SET live = false WHERE run_id = ANY($1)", [[origin, runId]]);
    const label = async (id: string) => {
      while (await replayWaiting(pool, 10));
      return (await readDetections(pool, [`sweep-of-${id}`]))[0]?.hindsight?.label;
    };
    return { origin, label };
  }

  async function setSpec(id: string, fields: object): Promise<void> {
    const cell = await database.prisma.cell.findFirstOrThrow({ where: { runs: { some: { id } } } });
    const spec = JSON.parse(JSON.stringify(CellSpec.parse({ ...CellSpec.parse(cell.spec), ...fields })));
    await database.prisma.cell.update({ where: { id: cell.id }, data: { spec } });
  }

  it("reads on over values that are not finite", async () => {
    await applyAll(start, broken, 3);
    await expectReplayOf(broken);
  });

  it("joins the lines of an iteration that came one by one, as other trainers log them", async () => {
    const lines = points.flatMap(({ iteration, values }) =>
      Object.entries(values).map(([key, value]) => ({ iteration, values: { [key]: value } })),
    );
    await applyAll(start, lines.slice(0, 900), 5);
    await expectReplayOf(await readRunPoints(pool, runId));
  });

  it("puts evaluations that come three steps late in their place", async () => {
    const key = "evaluation/successRate";
    const evaluated = points.slice(0, 90).map((point) => {
      return point.iteration % 10 === 5 ? { ...point, values: { ...point.values, [key]: 0.5 } } : point;
    });
    const late = points.slice(0, 90).flatMap((point): Point[] => {
      return point.iteration % 10 === 8 ? [point, { iteration: point.iteration - 3, values: { [key]: 0.5 } }] : [point];
    });
    await applyAll(start, late, 7);
    expect(await readRunPoints(pool, runId)).toHaveLength(90);
    await expectReplayOf(evaluated);
  });

  it("reads success in per cent as shares once a value shows it, whichever batch brings it", async () => {
    const inPercent = points.map(({ iteration, values }) => {
      const rate = values["rollout/successRate"] ?? 0;
      return { iteration, values: { ...values, "rollout/successRate": 100 * rate } };
    });
    await applyAll(start, inPercent, 9);
    await expectReplayOf(
      inPercent.map(({ iteration, values }) => {
        return { iteration, values: { ...values, "rollout/successRate": (values["rollout/successRate"] ?? 0) / 100 } };
      }),
    );
  });

  it("starts over when a second attempt goes back behind the end of the first", async () => {
    await applyAll(start, points.slice(0, 90), 10);
    const second = await startAttempt(2);
    await applyAll(second, points.slice(70), 10, { firstIteration: points[70]?.iteration ?? 0 });
    await expectReplayOf(points);
  });

  it("counts a run that succeeded at nothing before training, until it succeeds", async () => {
    const evaluated = (iteration: number, success: number) => ({
      iteration,
      values: { "evaluation/successRate": success },
    });
    const count = async () => (await countUntaught(pool, [`sweep-of-${runId}`])).get(`sweep-of-${runId}`) ?? 0;
    const trained = (iteration: number) => ({ iteration, values: { "rollout/successRate": 0, "loss/policy": 0.1 } });
    await applyAll(start, [evaluated(0, 0), trained(1), trained(2)], 1);
    expect(await count()).toBe(1);
    await startAttempt(2).then((second) => applyAll(second, [evaluated(3, 0.25)], 1, { firstIteration: 3 }));
    expect(await count()).toBe(0);
    expect(await events()).toMatchObject([{ kind: "stalled", iteration: 0 }]);
  });

  it("looks back once the run is over, and takes it back when the run goes on", async () => {
    const end = await applyAll(start, points, 50);
    expect((await standing())?.hindsight).toBeNull();
    const done = { type: "done", exit: "completed", reason: "", numMetricLines: points.length };
    await applyLog(storage, end, { bytes: toBytes([{ seq: end.lastSeq + 1, ...done }]), isFinal: true });
    const hindsight = (await standing())?.hindsight;
    expect(hindsight?.label.kind).toBe("collapseTerminal");
    expect(hindsight?.judgements[0]).toMatchObject({ rule: "unstable or worse", isDetected: true });
    await startAttempt(2).then((second) => applyAll(second, points.slice(50, 60), 5, { firstIteration: 51 }));
    expect((await standing())?.hindsight).toBeNull();
  });

  it("reads a run anew when its log or a person marks a change from outside, before or after what was read", async () => {
    const changedAt = Math.round(points.length / 2);
    const whole = withChanges(points, [changedAt]);
    const before = await applyAll(start, points.slice(0, changedAt + 5), 60);
    const bytes = toBytes([
      { seq: before.lastSeq + 1, type: "event", event: "data", iteration: changedAt, text: "another mixture" },
    ]);
    await applyLog(storage, before, { bytes, isFinal: false });
    expect(await readExternalChanges(pool, [runId])).toMatchObject([
      { iteration: changedAt, source: "log", text: "another mixture" },
    ]);
    await expectReplayOf(whole.slice(0, changedAt + 5));
  });

  it("takes a person's mark of a change into account, and forgets it when it is taken back", async () => {
    await applyAll(start, points, 1000);
    const label = async () => {
      while (await replayWaiting(pool, 10));
      return (await standing())?.changes.filter(({ status }) => status === "warmup").length;
    };
    expect(await label()).toBe(1);
    await markChange(pool, { runId, iteration: 60, text: "more data" });
    expect(await label()).toBe(2);
    const [change] = await readExternalChanges(pool, [runId]);
    await unmarkChange(pool, change?.id ?? 0);
    expect(await label()).toBe(1);
    await expect(markChange(pool, { runId: "nobody", iteration: 1, text: "" })).rejects.toThrow(
      "there is no run nobody",
    );
  });

  it("judges a log that is over once, at its end, however many batches it is read in", async () => {
    const done = { type: "done", exit: "completed", reason: "", numMetricLines: points.length };
    const half = await applyAll(start, points.slice(0, 100), 1000, { hasMore: true });
    expect(await standing()).toBeUndefined();
    const lines = points.slice(100).map((point, i) => toLine(point, half.lastSeq + 1 + i));
    const bytes = toBytes([...lines, { seq: points.length + 1, ...done }]);
    await applyLog(storage, half, { bytes, isFinal: true });
    expect((await standing())?.hindsight?.label.kind).toBe("collapseTerminal");
    await expectReplayOf(points);
  });

  it("keeps a person's verdict through a replay, and the events of other rules beside the new ones", async () => {
    await applyAll(start, points, 40);
    const [first] = await events();
    if (!first) throw new Error("nothing was told");
    await judgeEvent(pool, { id: first.id, verdict: "rejected", note: "restarted by hand" });
    await replayRuns(pool, [runId]);
    expect((await events()).find(({ id }) => id === first.id)).toMatchObject({ verdict: "rejected" });
    const before = (await events()).length;
    await pool.query("UPDATE detection SET detector_version = 'rules-0' WHERE run_id = $1", [runId]);
    await pool.query("UPDATE collapse_event SET detector_version = 'rules-0' WHERE run_id = $1", [runId]);
    expect(await readUndetected(pool, 100)).toContain(runId);
    while (await replayWaiting(pool, 5));
    expect(await events()).toHaveLength(before);
    expect(await readCollapseEvents(pool, { runId }, "rules-0")).toHaveLength(before);
  });

  it("labels the others beside a run that it cannot judge, whose history says why, until its data change", async () => {
    const bad = runId;
    await applyAll(start, points, 1000);
    const { spec } = await database.prisma.cell.findFirstOrThrow({ where: { runs: { some: { id: bad } } } });
    const setSpecOfBad = (stored: object) =>
      database.prisma.cell.updateMany({ where: { runs: { some: { id: bad } } }, data: { spec: stored } });
    await setSpecOfBad({ method: "none" });
    runId = `${bad}-good`;
    await applyAll(await startAttempt(1), points, 1000);
    await pool.query("UPDATE detection SET detector_version = 'rules-0' WHERE run_id = ANY($1)", [[bad, runId]]);
    while (await replayWaiting(pool, 1));
    await replayRuns(pool, [bad]);
    await expectReplayOf(points);
    const notes = await database.prisma.statusEvent.findMany({ where: { source: "detector" } });
    expect(notes).toMatchObject([{ runId: bad, text: expect.stringMatching(/^no label by rules-\S+: .*method/s) }]);

    await setSpecOfBad(Object(spec));
    expect(await readUndetected(pool, 100)).not.toContain(bad);
    await inTransaction(pool, (client) => forgetStandings(client, [bad]));
    while (await replayWaiting(pool, 1));
    runId = bad;
    await expectReplayOf(points);
    expect(await database.prisma.statusEvent.count({ where: { source: "detector" } })).toBe(0);
  });

  it("rings for what happens to a run under way or just over, not for one that came with a study or was long over when it was read", async () => {
    const unseen = async () =>
      (await readNotices(pool, detectorVersion)).events.filter((event) => event.runId === runId);
    await applyAll(start, points, 40);
    const numUnderWay = (await unseen()).length;
    expect(numUnderWay).toBeGreaterThan(0);
    await pool.query("UPDATE run SET ended_at = now() WHERE id = $1", [runId]);
    expect(await unseen()).toHaveLength(numUnderWay);
    await pool.query("UPDATE attempt SET job_state = 'elsewhere' WHERE id = $1", [start.attemptId]);
    expect(await unseen()).toHaveLength(0);
    await pool.query("UPDATE sweep SET origin = 'tracking' WHERE id = (SELECT sweep_id FROM run WHERE id = $1)", [
      runId,
    ]);
    expect(await unseen()).toHaveLength(numUnderWay);
    await pool.query("UPDATE run SET ended_at = now() - interval '1 hour' WHERE id = $1", [runId]);
    expect(await unseen()).toHaveLength(0);
  });

  it("does not ring for a branch of a run that had an alarm itself", async () => {
    await applyAll(start, points, 40);
    const numUnseen = async () =>
      (await readNotices(pool, detectorVersion)).events.filter((event) => event.runId === runId).length;
    const beginFrom = (run: string | null) =>
      pool.query(
        `UPDATE cell SET spec = spec || jsonb_build_object('initialisation', jsonb_build_object('kind', 'branch', 'run', $2::text))
         WHERE id = (SELECT cell_id FROM run WHERE id = $1)`,
        [runId, run],
      );
    const before = await numUnseen();
    expect(before).toBeGreaterThan(0);
    const { rows } = await pool.query("SELECT spec FROM cell WHERE id = (SELECT cell_id FROM run WHERE id = $1)", [
      runId,
    ]);
    await beginFrom("calm");
    expect(await numUnseen()).toBe(before);
    // The run `runId` itself has an alarm.
    await beginFrom(runId);
    expect(await numUnseen()).toBe(0);
    await pool.query("UPDATE cell SET spec = $2 WHERE id = (SELECT cell_id FROM run WHERE id = $1)", [
      runId,
      rows[0]?.spec,
    ]);
  });

  it("stores nothing of a replay that the log has overtaken", async () => {
    await applyAll(start, points.slice(0, 50), 50);
    await pool.query("DELETE FROM detection WHERE run_id = $1", [runId]);
    const seen = await readLogState(pool, runId);
    if (!seen) throw new Error("nothing was logged");
    await pool.query("UPDATE attempt SET last_seq = last_seq + 1 WHERE id = $1", [start.attemptId]);
    const replay = { ...seen, ...advanceWhole(), hindsight: null };
    expect(await inTransaction(pool, (client) => saveReplays(client, [replay]))).toEqual(new Set());
    expect(await standing()).toBeUndefined();
  });
});

function advanceWhole() {
  const advanced = advance(startStanding({ training: 40, heldOut: 40 }), points);
  if (!advanced) throw new Error("the points do not ascend");
  return advanced;
}

async function startAttempt(number: number): Promise<LogPosition> {
  const attemptId = number === 1 ? await insertRun(database, runId) : await secondAttempt(number);
  return { attemptId, logOffset: 0, lastSeq: -1, numMetricLines: 0 };
}

async function secondAttempt(number: number): Promise<number> {
  await pool.query("UPDATE attempt SET live = false WHERE run_id = $1", [runId]);
  return await insertAttempt(database, runId, number);
}

async function applyAll(
  from: LogPosition,
  lines: readonly Point[],
  size: number,
  { firstIteration = 1, hasMore = false } = {},
) {
  const all = [
    {
      seq: 0,
      type: "started",
      specHash: "",
      code: "",
      host: "",
      pid: 1,
      numParameters: 1,
      vocabularySize: 1,
      firstIteration,
    },
    ...lines.map((point, i) => toLine(point, i + 1)),
  ];
  let position = from;
  for (let i = 0; i < all.length; i += size) {
    const bytes = toBytes(all.slice(i, i + size));
    const next = await applyLog(storage, position, { bytes, isFinal: false, hasMore });
    if (!next) throw new Error("somebody else read first");
    position = next;
  }
  return position;
}

function toLine({ iteration, values }: Point, seq: number) {
  const logged = Object.fromEntries(Object.entries(values).map(([key, x]) => [key, toMetricValue(x)]));
  return { seq, type: "metrics", iteration, optimizerStep: 0, values: logged };
}

function toBytes(lines: readonly object[]): Uint8Array {
  return new TextEncoder().encode(lines.map((line) => `${JSON.stringify({ v: 1, atMs: 1e12, ...line })}\n`).join(""));
}

async function standing() {
  return (await readDetections(pool, [`sweep-of-${runId}`]))[0];
}

function events() {
  return readCollapseEvents(pool, { runId }, detectorVersion);
}

/** Compares state, state changes, index and every event with the detector's results over all points at once. */
async function expectReplayOf(whole: readonly Point[]): Promise<void> {
  const { spec } = await database.prisma.cell.findFirstOrThrow({ where: { runs: { some: { id: runId } } } });
  const detector = makeDetector(toEffective(samplingOf(CellSpec.parse(spec))));
  const { readings, events: told } = replay(detector, whole);
  const last = readings.at(-1);
  expect(await standing()).toMatchObject({
    status: last?.status,
    index: last?.index,
    iteration: last?.iteration,
    numSteps: readings.length,
    changes: statusChanges(readings),
  });
  const key = (event: { iteration: number; kind: string; severity: string; message: string }) =>
    `${event.iteration} ${event.kind} ${event.severity} ${event.message}`;
  expect(told.length).toBeGreaterThan(0);
  expect((await events()).map(key).sort()).toEqual(told.map(key).sort());
}
