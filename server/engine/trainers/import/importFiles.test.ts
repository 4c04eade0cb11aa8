import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { watchLoop } from "#trainer/confined/testing/watchLoop.ts";
import { readEpisodeIndex } from "#server/api/runs/episodes.ts";
import { readGroup, readGroupIndex } from "#server/api/runs/groups.ts";
import { readTable } from "#server/api/publish/answers.ts";
import { readTables } from "#server/api/publish/tables.ts";
import { readSeries } from "#server/db/runs/points.ts";
import { readAttemptFolders, readCells, readRun, readRuns, retryRun } from "#server/db/runs/runs.ts";
import { deleteSweep, listSweeps, readSweep, retryRuns, setSweepIntent } from "#server/db/plan/sweeps.ts";
import { readOpenRuns } from "#server/db/fleet/decisions.ts";
import { makeTestDatabase } from "#server/db/testing/testDatabase.ts";
import { isImported } from "#server/domain/plan/sweep/stored/isImported.ts";
import { makeConfined } from "#trainer/confined/confine.ts";
import type { GivenFile } from "./givenFile.ts";
import { importFiles, previewImport } from "./importFiles.ts";
import { argsOfReader, askReader } from "./importReader.ts";
import { readImport } from "./readImport.ts";

const database = await makeTestDatabase();
const home = await mkdtemp(join(tmpdir(), "arlarena-import-"));
afterAll(async () => {
  await database.close();
  await rm(home, { recursive: true, force: true });
});

async function file(name: string, text: string | Buffer): Promise<GivenFile> {
  const path = join(home, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  return { name, path, start: 0, end: Buffer.byteLength(text) };
}
const here = { options: {}, read: readImport };

/** Returns the log of a verl run that learns and then, optionally, collapses. */
function verlLog(seed: number, collapses: boolean): string {
  return Array.from({ length: 80 }, (_, i) => {
    const learned = Math.min(0.8, 0.1 + i * 0.02) + ((i * 7 + seed * 3) % 5) * 0.01;
    const rate = collapses && i > 50 ? 0.01 : learned;
    const data = { "episode/success_rate": rate, "actor/grad_norm": i === 20 ? null : 0.5, "val/success_rate": rate };
    return `${JSON.stringify({ step: i + 1, data })}\n`;
  }).join("");
}

describe("importing finished runs", async () => {
  const files = [
    await file("grpo_alfworld_seed1.jsonl", verlLog(1, true)),
    await file("grpo_alfworld_seed2.jsonl", verlLog(2, false)),
    await file("gspo_alfworld_seed1.jsonl", verlLog(3, false)),
  ];

  it("makes a sweep of them whose curves, grid and tables are like any other's", async () => {
    const { sweepId, numCells, numRuns } = await importFiles(database, home, { files, ...here });
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

    const { final, longCsv } = await readTables(database, { sweepIds: [sweepId], metric: "evaluation/successRate" });
    expect(final.rows).toHaveLength(2);
    expect(longCsv).toContain("ALFWorld,all,GRPO");
    const query = { kind: "stability", sweepIds: [sweepId], metric: "evaluation/successRate" } as const;
    const stability = await readTable(database, { ...query, collapses: "hindsight" });
    const collapsed = stability.columns.findIndex(({ key }) => key === "collapsed");
    expect(stability.rows.map(({ cells }) => cells[collapsed])).toEqual([
      { kind: "text", text: "1/2" },
      { kind: "text", text: "0/1" },
    ]);
  });

  it("says before and after how files were read, and on the run what of it was not understood", async () => {
    const odd = `what is this\n${verlLog(50, false)}{"torn": \n`;
    const request = { files: [await file("odd_s0.jsonl", odd)], ...here };
    const note = 'odd_s0.jsonl: 2 lines were not understood: they are “what is this” (line 1), “{"torn": ” (line 82)';
    expect(await previewImport(database, home, request)).toMatchObject({ numCells: 1, numRuns: 1, notes: [note] });
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
    await expect(importFiles(database, home, { files, ...here })).rejects.toThrow("was imported before");
    const fresh = await file("cispo_s0.jsonl", verlLog(9, false));
    const { numRuns, left } = await importFiles(database, home, { files: [...files, fresh], ...here });
    expect(numRuns).toBe(1);
    expect(left.map(({ reason }) => reason)).toEqual(
      Array(3).fill(expect.stringMatching(/^was imported before, into /)),
    );
  });

  it("keeps seeds whose logs are equal, and says so", async () => {
    const equal = [await file("zero_s0.jsonl", verlLog(12, false)), await file("zero_s1.jsonl", verlLog(12, false))];
    const { sweepId, numRuns, notes } = await importFiles(database, home, { files: equal, ...here });
    expect([numRuns, notes]).toEqual([2, [expect.stringContaining("read as a file of its own")]]);
    await expect(importFiles(database, home, { files: equal, ...here })).rejects.toThrow("was imported before");
    await deleteSweep(database, sweepId);
  });

  it("shows a table of the runs before, and imports them as the user changed it", async () => {
    const files = [
      await file("grpo_sokoban_s7.jsonl", verlLog(60, false)),
      await file("b_s8.jsonl", verlLog(61, false)),
    ];
    const { runs } = await previewImport(database, home, { files, ...here });
    expect(runs[0]).toMatchObject({ method: "GRPO", environment: "sokoban", seed: 7, steps: 80, lastStep: 80 });
    expect(runs[0]?.last["evaluation/successRate"]).toBeCloseTo(0.8 + 0.01 * ((79 * 7 + 180) % 5));
    const [{ id: first } = { id: "" }, { id: second } = { id: "" }] = runs;
    const edits = { [first]: { method: "GSPO", environment: "webshop", seed: 3 }, [second]: { isLeftOut: true } };
    const { sweepId, numRuns, left } = await importFiles(database, home, {
      files,
      options: { edits },
      read: readImport,
    });
    expect([numRuns, left]).toEqual([1, [{ file: "b_s8.jsonl", reason: "left out by choice" }]]);
    const [run] = await readRuns(database, { sweepIds: [sweepId] });
    const [cell] = await readCells(database, { sweepIds: [sweepId] });
    expect([cell?.method, run?.seed]).toEqual(["GSPO", 3]);
    await deleteSweep(database, sweepId);
  });

  it("takes a file again once its sweep was deleted", async () => {
    const again = [await file("again_s0.jsonl", verlLog(20, false))];
    const { sweepId } = await importFiles(database, home, { files: again, ...here });
    await deleteSweep(database, sweepId);
    expect((await importFiles(database, home, { files: again, ...here })).numRuns).toBe(1);
  });

  it("leaves nothing behind of an import that fails", async () => {
    const before = await listSweeps(database);
    const files = [await file("ok_s0.jsonl", verlLog(30, true))];
    const read = async (request: Parameters<typeof readImport>[0]) => {
      const plan = await readImport(request);
      await rm(request.logs ?? "", { recursive: true });
      return plan;
    };
    await expect(importFiles(database, home, { files, options: {}, read })).rejects.toThrow("ENOENT");
    expect(await listSweeps(database)).toHaveLength(before.length);
  });

  it("leaves out files of a folder that are no logs, by name and reason, and loses nothing else", async () => {
    const log = await file("folder/kept_s3.jsonl", verlLog(31, false));
    const broken = await file("folder/nul_s4.jsonl", '{"step":1,"lo\\u0000ss":1}\n');
    const words = await file("folder/notes.txt", "nothing\n");
    const files = [words, log, broken];
    const left = [
      { file: "folder/notes.txt", reason: "no measurements found" },
      { file: "folder/nul_s4.jsonl", reason: expect.stringMatching(/^the metric “lo\\u0000ss” has a NUL/) },
    ];
    expect(await previewImport(database, home, { files, ...here })).toMatchObject({ numCells: 1, numRuns: 1, left });
    const imported = await importFiles(database, home, { files, ...here });
    expect(imported).toMatchObject({ name: "Imported: kept_s3.jsonl", numRuns: 1, left });
    const known = await database.prisma.importedFile.findMany({ where: { sweepId: imported.sweepId } });
    expect(known).toMatchObject([{ name: "kept_s3.jsonl", format: "verlFile" }]);
    await deleteSweep(database, imported.sweepId);
    await expect(importFiles(database, home, { files: [words, broken], ...here })).rejects.toMatchObject({
      code: "bad_input",
      message: expect.stringMatching(/notes\.txt: .*\n.*nul_s4\.jsonl: /),
    });
  });

  it("shows what each name becomes, takes another choice, and remembers it", async () => {
    const log = (seed: number) =>
      file(
        `named_s${seed}.csv`,
        `step,solved,reward\n${[1, 2, 3].map((step) => `${step},0.${step + seed},1\n`).join("")}`,
      );
    const options = { chosen: { solved: "evaluation/successRate" } };
    const asked = { files: [await log(1)], ...here };
    expect((await previewImport(database, home, asked)).columns).toEqual([
      { name: "solved", metric: null, numPoints: 3 },
      { name: "reward", metric: "rollout/returnMean", numPoints: 3 },
    ]);
    const { sweepId } = await importFiles(database, home, { ...asked, options });
    const next = await previewImport(database, home, { files: [await log(2)], ...here });
    expect(next.columns).toContainEqual({ name: "solved", metric: "evaluation/successRate", numPoints: 3 });
    await deleteSweep(database, sweepId);
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

describe("an import read in another process", async () => {
  const limits = { cpuMs: 600_000, wallMs: 600_000, memoryBytes: 3 * 2 ** 30 };

  it(
    "leaves the asking process its turns while a large file is read, and says the same",
    { tags: "soak" },
    async () => {
      const line = (step: number) => {
        const values = Object.fromEntries(
          Array.from({ length: 40 }, (_, key) => [`part/value${key}`, step / (key + 1)]),
        );
        return `${JSON.stringify({ step, data: values })}\n`;
      };
      const text = Array.from({ length: 5_000 }, (_, step) => line(step)).join("");
      const files = [await file("large_s0.jsonl", text)];
      const reader = makeConfined(argsOfReader(), limits);
      const sinceMs = performance.now();
      const longest = watchLoop();
      const read = (request: Parameters<typeof readImport>[0]) => askReader({ reader, limits }, request);
      const previewed = await previewImport(database, home, { files, options: {}, read });
      expect(previewed).toMatchObject({ numCells: 1, numRuns: 1, notes: [] });
      reader.close();
      // If this process read the file itself, a single pause of the event loop would take nearly all of the time.
      expect(longest()).toBeLessThan((performance.now() - sinceMs) / 3);
    },
  );

  it("becomes the same sweep, and is refused in the same words", async () => {
    const reader = makeConfined(argsOfReader(), limits);
    const read = (request: Parameters<typeof readImport>[0]) => askReader({ reader, limits }, request);
    const good = await file("elsewhere_s4.jsonl", verlLog(40, true));
    const { sweepId } = await importFiles(database, home, { files: [good], options: {}, read });
    const [run] = await readRuns(database, { sweepIds: [sweepId] });
    const log = await readFile(join(home, "runs", run?.id ?? "", "1", "events.jsonl"), "utf8");
    expect(log.trimEnd().split("\n")).toHaveLength(82);
    expect(run?.seed).toBe(4);
    const bad = [await file("words.txt", "nothing\n")];
    expect(await previewImport(database, home, { files: bad, options: {}, read })).toMatchObject({
      runs: [],
      left: [{ file: "words.txt", reason: "no measurements found" }],
    });
    await expect(importFiles(database, home, { files: bad, options: {}, read })).rejects.toMatchObject({
      code: "bad_input",
      message: expect.stringContaining("words.txt: no measurements found"),
    });
    reader.close();
    await deleteSweep(database, sweepId);
  });

  it("of too many lines is refused before it is read", async () => {
    const files = [await file("a_s0.jsonl", verlLog(0, false)), await file("b_s1.jsonl", verlLog(1, false))];
    const reader = makeConfined(argsOfReader(), limits);
    await expect(askReader({ reader, limits }, { files, options: {}, maxLines: 159 })).rejects.toMatchObject({
      code: "too_large",
      message: expect.stringMatching(/^b_s1.jsonl: 160 lines up to here, the limit is 159\. /),
    });
    const packed = [files[0] ?? files[1], await file("c_s1.jsonl.gz", gzipSync(verlLog(1, false)))];
    await expect(
      askReader({ reader, limits }, { files: packed.flatMap((one) => one ?? []), options: {}, maxLines: 159 }),
    ).rejects.toMatchObject({ message: expect.stringMatching(/^c_s1.jsonl.gz: 160 lines up to here/) });
    reader.close();
  });

  it("is read no further when nobody waits for it", async () => {
    const path = join(home, "endless");
    execFileSync("mkfifo", [path]);
    const reader = makeConfined(argsOfReader(), limits);
    const gone = new AbortController();
    // Opening a named pipe blocks until another process opens it for writing.
    const asked = askReader(
      { reader, limits },
      { files: [{ name: "endless", path, start: 0, end: 9 }], options: {} },
      gone.signal,
    );
    gone.abort(new Error("the page was closed"));
    await expect(asked).rejects.toThrow("the page was closed");
    reader.close();
  });

  it("is refused with the limit's name when it goes over it", async () => {
    const few = { ...limits, cpuMs: 1 };
    const files = [await file("long_s0.jsonl", verlLog(60, false).repeat(200))];
    const reader = makeConfined(argsOfReader(), few);
    await expect(askReader({ reader, limits: few }, { files, options: {} })).rejects.toMatchObject({
      code: "bad_input",
      message: expect.stringMatching(/more than .* minutes of processor time/),
    });
    reader.close();
  });
});

it("keeps the episodes of verl's rollout dumps where the viewer looks for them", async () => {
  const row = (step: number, i: number) => ({ input: `task ${i}`, output: "<action>look</action>", score: i, step });
  const text = (step: number) => [0, 1].map((i) => `${JSON.stringify(row(step, i))}\n`).join("");
  const files = [
    await file("grpo_webshop_seed5/rollouts/1.jsonl", text(1)),
    await file("grpo_webshop_seed5/rollouts/2.jsonl", text(2)),
    await file("grpo_webshop_seed5/train.jsonl", `${JSON.stringify({ step: 1, data: { "actor/ppo_kl": 0.1 } })}\n`),
  ];
  const { sweepId, numRuns } = await importFiles(database, home, { files, ...here });
  expect(numRuns).toBe(1);
  const [run] = await readRuns(database, { sweepIds: [sweepId] });
  const { episodes, numUnreadable } = await readEpisodeIndex(await readAttemptFolders(database, run?.id ?? ""));
  expect(numUnreadable).toBe(0);
  expect(episodes.map(({ iteration, seed, isSuccess }) => [iteration, seed, isSuccess])).toEqual([
    [1, 0, false],
    [1, 1, true],
    [2, 0, false],
    [2, 1, true],
  ]);
  const [curve] = await readSeries(database.pool, { runIds: [run?.id ?? ""], keys: ["policy/klOld"] });
  expect([...(curve?.values ?? [])]).toEqual([0.1]);
});

describe("rollouts written by the code of other trainers (testing/writeRollouts.py)", () => {
  const folder = join(import.meta.dirname, "../../../domain/trainers/import/testing/rollouts");
  const texts = [
    ["2 + 3 = 5", "It is 6"],
    ["20", "4 * 5 = 20"],
  ];

  it.each([
    {
      path: "trl-plain/completions/completions_00005.parquet",
      has: {
        texts,
        returns: [
          [1, 0],
          [1, 1],
        ],
        advantages: [
          [0.7, -0.7],
          [0, 0],
        ],
      },
    },
    {
      path: "trl-chat/completions/completions_00005.parquet",
      has: {
        texts,
        returns: [
          [1, 0],
          [1, 1],
        ],
        advantages: [
          [0.7, -0.7],
          [0, 0],
        ],
      },
    },
    {
      path: "verl/5.jsonl",
      has: {
        texts,
        returns: [
          [1, 0],
          [1, 1],
        ],
        advantages: [
          [null, null],
          [null, null],
        ],
      },
    },
    {
      path: "tinker/iteration_000005/train_rollout_summaries.jsonl",
      has: {
        texts: [
          ["", ""],
          ["", ""],
        ],
        returns: [
          [1, 0],
          [1, 1],
        ],
        advantages: [
          [null, null],
          [null, null],
        ],
      },
    },
  ])("open as groups: $path", async ({ path, has }) => {
    const given = await file(`grpo_groups_${path}`, await readFile(join(folder, path)));
    const { sweepId } = await importFiles(database, home, { files: [given], ...here });
    const [run] = await readRuns(database, { sweepIds: [sweepId] });
    const attempts = await readAttemptFolders(database, run?.id ?? "");
    const { groups, numUnreadable } = await readGroupIndex(attempts);
    expect(numUnreadable).toBe(0);
    expect(groups.map(({ iteration, group }) => [iteration, group])).toEqual([
      [5, 0],
      [5, 1],
    ]);
    expect(groups.map(({ returns }) => returns)).toEqual(has.returns);
    expect(groups.map(({ advantages }) => advantages)).toEqual(
      has.advantages.map((own) => own.map((x) => (x === null ? null : expect.closeTo(x, 6)))),
    );
    expect(groups.map(({ marks }) => marks)).toEqual([[], ["zeroVariance"]]);
    for (const [i, place] of groups.entries()) {
      const { episodes } = await readGroup(attempts[0]?.folder ?? "", place);
      expect(episodes.map(({ turns }) => turns.flatMap(({ tokens }) => tokens.text).join(""))).toEqual(has.texts[i]);
      // No file has log-probabilities or says what the loss did.
      const tokens = episodes.flatMap(({ turns }) => turns.map((turn) => turn.tokens));
      expect(tokens.flatMap(({ logProb, fate, id }) => [...logProb, ...fate, ...id]).every((x) => x === null)).toBe(
        true,
      );
    }
  });

  it("refuses a damaged Parquet file by name", async () => {
    const bytes = await readFile(join(folder, "trl-plain/completions/completions_00005.parquet"));
    const damaged = await file("grpo_cut/completions/completions_00005.parquet", bytes.subarray(0, 500));
    await expect(importFiles(database, home, { files: [damaged], ...here })).rejects.toThrow(
      /completions_00005.parquet: its Parquet cannot be read/,
    );
  });
});
