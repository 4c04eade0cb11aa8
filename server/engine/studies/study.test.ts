import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, brotliDecompressSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { verifyTable } from "#server/api/analysis/proofs.ts";
import { readTable } from "#server/api/publish/answers.ts";
import { readOpenRuns } from "#server/db/fleet/decisions.ts";
import { readMarks, writeMarks } from "#server/db/runs/marks.ts";
import { readSeries } from "#server/db/runs/points.ts";
import { readRuns } from "#server/db/runs/runs.ts";
import { createReport, freezeReport, readReport } from "#server/db/publish/reports.ts";
import { fillOrigin } from "#server/db/plan/origins.ts";
import { createSweep, deleteSweep, listSweeps, readSweep } from "#server/db/plan/sweeps.ts";
import { withStudyLock } from "#server/db/publish/studies.ts";
import { makeTestDatabase } from "#server/db/testing/testDatabase.ts";
import { expandPlan } from "#server/domain/plan/sweep/expand/expand.ts";
import { checkPlan } from "#server/domain/plan/sweep/plan.ts";
import { replayWaiting } from "#server/engine/ingest/replayRun.ts";
import { drainFile } from "#server/engine/ingest/drainLog.ts";
import { exportReport } from "#server/api/publish/reports/exportReport.ts";
import { freezeBlocks } from "#server/api/publish/reports/renderReport.ts";
import { exportStudy } from "./exportStudy.ts";
import { importStudy, isStudy } from "./importStudy.ts";
import { packedStart } from "./studyFile.ts";
import { readPlain } from "./testing/readPlain.ts";

const here = await makeTestDatabase();
const elsewhere = await makeTestDatabase();
const folder = await mkdtemp(join(tmpdir(), "arlarena-study-"));
const path = join(folder, "study.arlarena");
const success = "evaluation/successRate";
let sweepId = "";
let reportId = "";

const event = (seq: number, rest: object) => JSON.stringify({ v: 1, seq, atMs: 1e12 + seq, ...rest });
/** Returns the log of a run that reaches `level`, with a NaN, an invalid line and an incomplete last line. */
function logOf(level: number): string {
  const values = (i: number) => ({ [success]: i === 2 ? "NaN" : level, "update/gradientNorm": i, "time/rolloutMs": 7 });
  const started = {
    type: "started",
    specHash: "s",
    code: "c",
    host: "h",
    pid: 1,
    numParameters: 9,
    vocabularySize: 9,
    firstIteration: 1,
  };
  const metrics = [1, 2, 3].map((i) =>
    event(i, { type: "metrics", iteration: i, optimizerStep: i, values: values(i) }),
  );
  const done = event(4, { type: "done", exit: "completed", reason: "", numMetricLines: 3 });
  return [event(0, started), ...metrics, "Segmentation fault", done, '{"torn'].join("\n");
}
const turn = { prompt: "A <wall>", response: [{ token: "up", logProb: -1 }], action: "up", reward: 1 };
const turns = [{ ...turn, isFormatValid: true, isActionValid: true }];
const sample = { v: 1, iteration: 1, seed: 3, isSuccess: true, episodeReward: 1, turns };

beforeAll(async () => {
  const plan = checkPlan({
    name: "Recorded",
    methods: ["grpo", "sampo"],
    environments: [{ id: "sokoban" }],
    seeds: [0, 1],
  });
  sweepId = await createSweep(here, { plan, expansion: expandPlan(plan) });
  const runs = await here.prisma.run.findMany({ where: { sweepId }, orderBy: { id: "asc" } });
  for (const [i, { id }] of runs.entries()) {
    // The last run stays unfinished.
    if (i === 3) continue;
    const attempt = { runId: id, number: 1, jobId: `${id}.1`, node: "here", folder: join(folder, id), live: false };
    const { id: attemptId } = await here.prisma.attempt.create({ data: { ...attempt, reason: "completed" } });
    await mkdir(attempt.folder);
    await writeFile(join(attempt.folder, "events.jsonl"), logOf(0.2 + 0.1 * i));
    await writeFile(join(attempt.folder, "samples.jsonl"), `${JSON.stringify(sample)}\n`);
    await drainFile(here, attemptId, join(attempt.folder, "events.jsonl"));
    const status = i === 2 ? { status: "failed", reason: "killed" } : { status: "finished", reason: "completed" };
    await here.prisma.run.update({ where: { id }, data: status });
  }
  await here.prisma.sweep.update({
    where: { id: sweepId },
    data: { tags: ["paper"], isFavourite: true, baselineCell: 1 },
  });
  await writeMarks(here.pool, { kind: "run", ids: [runs[0]?.id ?? ""] }, { note: "see **this**", isArchived: true });
  await here.prisma.run.update({ where: { id: runs[1]?.id ?? "" }, data: { addedAt: new Date() } });
  // Proofs of tables require that all runs of the sweep have ended.
  await here.prisma.run.deleteMany({ where: { id: runs[3]?.id ?? "" } });
  await readTable(here, { kind: "final", sweepIds: [sweepId], metric: success });
  const blocks = { headline: "", chart: `metric: ${success}\n`, table: "", findings: "", settings: "" };
  const body = Object.entries(blocks).map(([kind, more]) => `\`\`\`${kind}\nsweep: ${sweepId}\n${more}\`\`\`\n`);
  body.push(`\`\`\`episode\nrun: ${runs[0]?.id}\n\`\`\`\n\`\`\`runs\nlimit: 3\n\`\`\`\n`);
  reportId = await freeze("What we saw", body.join("text\n"));
  await freeze("Of others too", `${body.join("")}\`\`\`headline\nsweep: another\n\`\`\`\n`);
  await freeze("Of none", "words");
  await createReport(here, { title: "Live", body: body.join("") });
});

async function freeze(title: string, body: string): Promise<string> {
  const id = await createReport(here, { title, body });
  await freezeReport(here, id, await freezeBlocks(here, body));
  return id;
}

afterAll(async () => {
  await here.close();
  await elsewhere.close();
  await rm(folder, { recursive: true, force: true });
});

const seriesIn = async (database: typeof here) => {
  const runIds = (await readRuns(database, { sweepIds: [sweepId] })).map(({ id }) => id);
  return await readSeries(database.pool, { runIds, keys: [success, "update/gradientNorm"] });
};

// The kernel refuses the first file even to root, and fails to read from the second one.
it.runIf(process.platform === "linux").each(["/proc/sys/vm/drop_caches", "/proc/self/mem"])(
  "is not %s, which exists and cannot be read (needs Linux)",
  async (unreadable) => expect(await isStudy(unreadable)).toBe(false),
);

describe("a recorded study", () => {
  it("is the same elsewhere: runs, curves, samples, and the proofs of its tables", async () => {
    expect(await exportStudy(here, { sweepIds: [sweepId], path, hasSamples: true })).toEqual({
      numRuns: 3,
      numOpen: 0,
      numReports: 1,
    });
    expect(await isStudy(path)).toBe(true);
    const home = join(folder, "elsewhere");
    const imported = await importStudy(elsewhere, home, path);
    expect(imported).toMatchObject({ sweeps: [{ id: sweepId, name: "Recorded", numRuns: 3 }], notes: [] });
    expect(await seriesIn(elsewhere)).toEqual(await seriesIn(here));
    expect((await seriesIn(here)).length).toBe(6);
    const statuses = async (database: typeof here) =>
      (await readRuns(database, { sweepIds: [sweepId] })).map(({ id, status, reason }) => [id, status, reason]);
    expect(await statuses(elsewhere)).toEqual(await statuses(here));
    expect((await readSweep(elsewhere, sweepId)).plan).toEqual((await readSweep(here, sweepId)).plan);
    const [hash = ""] = imported.proofs;
    expect((await verifyTable(elsewhere, hash, (query) => readTable(elsewhere, query))).isSame).toBe(true);
    const samples = await readFile(join(home, "runs", `${sweepId}-c0-s0`, "1", "samples.jsonl"), "utf8");
    expect(JSON.parse(samples)).toEqual(sample);
  });

  it("is the same in its older form, gzipped lines", async () => {
    const old = join(folder, "old.arlarena");
    await writeFile(old, gzipSync(await readPlain(path)));
    expect(await isStudy(old)).toBe(true);
    const third = await makeTestDatabase();
    try {
      const imported = await importStudy(third, join(folder, "old"), old);
      expect(imported).toMatchObject({ sweeps: [{ id: sweepId, numRuns: 3 }], notes: [] });
      expect(await seriesIn(third)).toEqual(await seriesIn(here));
    } finally {
      await third.close();
    }
  });

  it("leaves out what neither labels, rules nor tables of stability read, where asked to", async () => {
    const thin = join(folder, "thin.arlarena");
    await exportStudy(here, { sweepIds: [sweepId], path: thin, hasSamples: false, isEssential: true });
    const [whole, thinned] = await Promise.all([path, thin].map(readPlain));
    expect(whole).toContain('"time/rolloutMs":7');
    expect(thinned).not.toContain("time/rolloutMs");
    expect(thinned).toContain("Segmentation fault");
    const third = await makeTestDatabase();
    try {
      const imported = await importStudy(third, join(folder, "third"), thin);
      expect(await seriesIn(third)).toEqual(await seriesIn(here));
      const [hash = ""] = imported.proofs;
      expect((await verifyTable(third, hash, (query) => readTable(third, query))).isSame).toBe(true);
    } finally {
      await third.close();
    }
  });

  it("keeps what people said of its sweeps and runs, and of the others nothing", async () => {
    const [first, second] = (await readRuns(here, { sweepIds: [sweepId] })).map(({ id }) => id);
    const none = { tags: [], note: "", isFavourite: false, isArchived: false };
    expect(await readMarks(elsewhere.pool, "sweep", sweepId)).toEqual({ ...none, tags: ["paper"], isFavourite: true });
    expect(await readMarks(elsewhere.pool, "run", first ?? "")).toEqual({
      ...none,
      note: "see **this**",
      isArchived: true,
    });
    expect(await readMarks(elsewhere.pool, "run", second ?? "")).toEqual(none);
    expect(await elsewhere.prisma.sweep.findFirst({ select: { baselineCell: true } })).toEqual({ baselineCell: 1 });
  });

  it("keeps which seeds were added after the launch", async () => {
    const added = await elsewhere.prisma.run.findMany({ where: { addedAt: { not: null } }, select: { id: true } });
    expect(added).toEqual([{ id: (await readRuns(here, { sweepIds: [sweepId] }))[1]?.id }]);
  });

  it("brings the reports along that were frozen of its sweeps alone, to the letter, and each once", async () => {
    const reports = await elsewhere.prisma.report.findMany({ select: { id: true } });
    expect(reports).toEqual([{ id: reportId }]);
    expect(await exportReport(elsewhere, reportId)).toEqual(await exportReport(here, reportId));
    const { frozen } = await readReport(elsewhere, reportId);
    expect(frozen?.blocks.size).toBe(7);
    const home = join(folder, "twice");
    const again = await importStudy(elsewhere, home, path);
    expect(again.reports).toEqual([{ id: reportId, title: "What we saw" }]);
    for (const { id } of again.sweeps) await deleteSweep(elsewhere, id);
  });

  it("launches nothing", async () => {
    expect(await readOpenRuns(elsewhere, { isRoom: true })).toEqual([]);
  });

  it("gets another id where its own is taken, and says that its proofs are others then", async () => {
    const { sweeps, proofs, notes } = await importStudy(here, join(folder, "again"), path);
    expect(sweeps[0]?.id).not.toBe(sweepId);
    expect(proofs).toEqual([]);
    expect(notes).toEqual([
      `Recorded: its id ${sweepId} is taken, so proofs of its tables differ from the recorded ones`,
    ]);
  });

  it("takes the place of what a killed import left, and refuses to run beside another", async () => {
    const home = join(folder, "killed");
    const killed = await makeTestDatabase();
    await importStudy(killed, home, path);
    await killed.prisma.sweep.updateMany({ data: { origin: "import" } });
    await killed.prisma.run.updateMany({ data: { status: "running" } });
    const { sweeps, notes } = await importStudy(killed, home, path);
    expect(sweeps.map(({ id }) => id)).toEqual([sweepId]);
    expect(notes).toEqual([]);
    expect(await listSweeps(killed)).toHaveLength(1);
    await expect(withStudyLock(killed, () => importStudy(killed, home, path))).rejects.toThrow(
      /another recorded study is being imported/,
    );
    await killed.close();
  });

  it("brings the runs along that its branches continue, and yields to their own study", async () => {
    const third = await makeTestDatabase();
    const home = join(folder, "branches");
    const originId = `${sweepId}-c0-s0`;
    const initialisation = { kind: "branch", run: originId, iteration: 2 };
    const base = { initialisation, budget: { iterations: 3 } };
    const named = checkPlan({
      name: "Branches",
      methods: ["grpo"],
      environments: [{ id: "sokoban" }],
      base,
      seeds: [0],
    });
    const plan = await fillOrigin(here, named);
    const branches = await createSweep(here, { plan, expansion: expandPlan(plan) });
    try {
      await here.prisma.run.updateMany({ where: { sweepId: branches }, data: { status: "finished" } });
      const branchPath = join(folder, "branches.arlarena");
      const exported = await exportStudy(here, { sweepIds: [branches], path: branchPath, hasSamples: false });
      expect(exported.numRuns).toBe(1);

      // Simulates a kill that leaves the origin incomplete. The next import replaces it.
      await importStudy(third, home, branchPath);
      await third.prisma.run.updateMany({ where: { id: originId }, data: { status: "running" } });
      await deleteSweep(third, branches);
      const { sweeps, notes } = await importStudy(third, home, branchPath);
      expect(sweeps).toEqual([{ id: branches, name: "Branches", numRuns: 1 }]);
      expect(notes).toEqual([]);
      const read = (database: typeof here) =>
        readSeries(database.pool, { runIds: [originId], keys: [success, "update/gradientNorm"] });
      expect(await read(third)).toEqual(await read(here));
      expect(await readOpenRuns(third, { isRoom: true })).toEqual([]);

      // A label computed before the origin's curve was imported is computed again.
      const branchId = `${branches}-c0-s0`;
      const attempt = { runId: branchId, number: 1, jobId: `${branchId}.1`, node: "here", folder: "", live: false };
      const { id: attemptId } = await third.prisma.attempt.create({ data: attempt });
      const standing = { detectorVersion: "test", status: "ok", iteration: 3, numSteps: 3, changes: [], memory: {} };
      await third.prisma.detection.create({ data: { runId: branchId, attemptId, ...standing, hindsight: {} } });
      const whole = await importStudy(third, home, path);
      expect(await third.prisma.detection.findUnique({ where: { runId: branchId } })).toMatchObject({
        memory: null,
        hindsight: null,
      });
      expect(whole).toMatchObject({ sweeps: [{ id: sweepId, numRuns: 3 }], notes: [] });
      expect((await readRuns(third, { sweepIds: [sweepId] })).length).toBe(3);
      // Runs that are stored already stay unchanged.
      await deleteSweep(third, branches);
      await importStudy(third, home, branchPath);
      expect((await readRuns(third, { sweepIds: [sweepId] })).length).toBe(3);
      expect(await read(third)).toEqual(await read(here));

      // A file that would change a sweep of this studio is refused, with what differs.
      await deleteSweep(third, branches);
      const origin = (lines: Line[]) => lines[0]?.origins?.[0] ?? {};
      const changes: [RegExp, (lines: Line[]) => void][] = [
        [/its run of cell 0 with seed 7 is in the file only/, (lines) => Object.assign(lines[1] ?? {}, { seed: 7 })],
        [
          new RegExp(`${originId} .* \\(finished, completed here, failed, killed in the file\\)`),
          (lines) => Object.assign(lines[1] ?? {}, { status: "failed", reason: "killed" }),
        ],
        [
          /the plan's seeds\)/,
          (lines) => Object.assign(origin(lines), { planHash: "x", plan: { ...origin(lines).plan, seeds: [7] } }),
        ],
        [
          /the settings of cell 0 \(GRPO\)/,
          (lines) => Object.assign(origin(lines).cells?.[0]?.spec ?? {}, { budget: { iterations: 99 } }),
        ],
        [/cell 9 \(GRPO\) is in the file only/, (lines) => Object.assign(origin(lines).cells?.[0] ?? {}, { index: 9 })],
      ];
      const ofAll = () => third.prisma.cell.findMany({ include: { runs: true }, orderBy: { id: "asc" } });
      const before = await ofAll();
      for (const [problem, change] of changes) {
        await writeFile(join(folder, "changed.arlarena"), await editLines(branchPath, change));
        await expect(importStudy(third, home, join(folder, "changed.arlarena"))).rejects.toThrow(problem);
        expect(await ofAll()).toEqual(before);
      }
    } finally {
      await deleteSweep(here, branches);
      await third.close();
    }
  });

  it(
    "is judged once: each attempt at its end, and branches after the runs that they continue",
    { tags: "soak" },
    async () => {
      const plan = await fillOrigin(
        here,
        checkPlan({
          name: "Judged",
          methods: ["grpo"],
          environments: [{ id: "sokoban" }],
          base: {
            initialisation: { kind: "branch", run: `${sweepId}-c0-s0`, iteration: 1 },
            budget: { iterations: 3 },
          },
          seeds: [0, 1],
        }),
      );
      const branches = await createSweep(here, { plan, expansion: expandPlan(plan) });
      const other = await makeTestDatabase();
      try {
        for (const { id } of await here.prisma.run.findMany({ where: { sweepId: branches } })) {
          const attempt = {
            runId: id,
            number: 1,
            jobId: `${id}.1`,
            node: "here",
            folder: join(folder, id),
            live: false,
          };
          await here.prisma.attempt.create({ data: { ...attempt, reason: "completed" } });
          await here.prisma.run.update({ where: { id }, data: { status: "finished", reason: "completed" } });
          await mkdir(attempt.folder);
          await writeFile(join(attempt.folder, "events.jsonl"), logOf(0.4));
        }
        await other.pool.query(
          `CREATE TABLE judged (run_id text);
         CREATE FUNCTION note_judged() RETURNS trigger LANGUAGE plpgsql AS
           'BEGIN INSERT INTO judged SELECT NEW.run_id WHERE NEW.hindsight IS NOT NULL; RETURN NEW; END';
         CREATE TRIGGER judged AFTER INSERT OR UPDATE ON detection FOR EACH ROW EXECUTE FUNCTION note_judged()`,
        );
        const both = join(folder, "judged.arlarena");
        for (const sweepIds of [[sweepId, branches], [branches]]) {
          await exportStudy(here, { sweepIds, path: both, hasSamples: false });
          const { sweeps } = await importStudy(other, join(folder, "judged"), both);
          while (await replayWaiting(other.pool, 100));
          const { rows } = await other.pool.query<{ run: string; times: number }>(
            "SELECT run_id AS run, count(*)::int AS times FROM judged GROUP BY 1",
          );
          expect(rows.filter(({ times }) => times > 1)).toEqual([]);
          expect(rows.length).toBeGreaterThan(2);
          for (const { id } of sweeps) await deleteSweep(other, id);
          await other.pool.query("DELETE FROM judged");
        }
      } finally {
        await deleteSweep(here, branches);
        await other.close();
      }
    },
  );

  it.each([
    ["torn", (bytes: Buffer) => bytes.subarray(0, bytes.length - 40), /damaged here|ends here/],
    [
      "with another number in a log",
      editPacked('["update/gradientNorm",[1,2,3]]', '["update/gradientNorm",[1,3,3]]'),
      /SHA-256/,
    ],
    [
      "with a number too few",
      editPacked('["optimizerStep",[1,2,3]]', '["optimizerStep",[1,2]]'),
      /“optimizerStep” end early/,
    ],
    ["with a line too many", editPacked('"order":[0]', '"order":[0,0]'), /end early/],
    [
      "with another number in an old log",
      edit('"update/gradientNorm":2', '"update/gradientNorm":3'),
      /SHA-256 differs/,
    ],
    ["without its last line", edit('{"type":"end","runs":3}\n', ""), /ends here, before its last line/],
    [
      "with an id that leads out of the state folder",
      edit('"id":"', '"id":"../'),
      /is not a valid line at this position/,
    ],
    ["with a report that would act", edit('<p class=\\"headline\\">', "<script>"), /report “What we saw” has <script>/],
    ["with a run of no cell", edit('"cell":1', '"cell":7'), /a run of cell 7/],
    [
      "with a line that no memory holds",
      () => gzipSync(Buffer.alloc(65 * 2 ** 20, " ")),
      /line 1 of the study: is longer than the limit of 67108864 characters/,
    ],
    ["with a run too few", edit('"runs":3', '"runs":4'), /states 4 runs, but contains 3/],
  ])("%s is refused, and nothing of it is left", async (name, change, problem) => {
    const before = (await listSweeps(elsewhere)).length;
    const broken = join(folder, `${name}.arlarena`);
    await writeFile(broken, await change(await readFile(path)));
    await expect(importStudy(elsewhere, join(folder, "broken"), broken)).rejects.toThrow(problem);
    expect(await listSweeps(elsewhere)).toHaveLength(before);
  });

  it("leaves out runs that are not over, and counts them", async () => {
    const [run] = await here.prisma.run.findMany({ where: { sweepId }, orderBy: { id: "asc" } });
    await here.prisma.run.update({ where: { id: run?.id ?? "" }, data: { status: "running" } });
    const open = join(folder, "open.arlarena");
    expect(await exportStudy(here, { sweepIds: [sweepId], path: open, hasSamples: false })).toEqual({
      numRuns: 2,
      numOpen: 1,
      numReports: 1,
    });
    expect(await readPlain(open)).not.toContain('"isSuccess"');
  });
});

/** Changes a text of the file in its older form, gzipped lines. */
function edit(from: string, to: string) {
  return async () => gzipSync(replaced(await readPlain(path), from, to));
}

/** Changes a text of the file with its packed blocks. */
function editPacked(from: string, to: string) {
  return (bytes: Buffer) => {
    const text = brotliDecompressSync(bytes.subarray(packedStart.length)).toString();
    return Buffer.concat([Buffer.from(packedStart), brotliCompressSync(replaced(text, from, to))]);
  };
}

function replaced(text: string, from: string, to: string): string {
  expect(text).toContain(from);
  return text.replace(from, to);
}

type Line = {
  origins?: { plan?: object; cells?: { spec?: object }[] }[];
};

async function editLines(file: string, change: (lines: Line[]) => void): Promise<Buffer> {
  const lines = (await readPlain(file)).split("\n");
  const parsed = lines.slice(0, 2).map((line): Line => JSON.parse(line));
  change(parsed);
  return gzipSync([...parsed.map((line) => JSON.stringify(line)), ...lines.slice(2)].join("\n"));
}
