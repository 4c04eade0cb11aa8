import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, expect, it } from "vitest";
import { readRun, readRuns, type RunDetail } from "#server/db/runs/runs.ts";
import { makeTestDatabase } from "#server/db/testing/testDatabase.ts";
import { TrainersFile } from "#packages/trainers";
import { reasonWords } from "#server/domain/runs/runStatus.ts";
import { bundleTools } from "#server/start/bundleTools.ts";
import { launchProgram } from "./testing/launchProgram.ts";

const database = await makeTestDatabase();
const folder = await mkdtemp(join(tmpdir(), "arlarena-crashes-"));
const adapter = join(dirname(await bundleTools(join(folder, "tools"))), "adapter.mjs");
afterAll(async () => {
  await database.close();
  await rm(folder, { recursive: true, force: true });
});
let stop: (() => Promise<void>) | undefined;
afterEach(async () => {
  await stop?.();
  stop = undefined;
});

/** Crashes by kind. All but the three of a GPU are real: no test machine has one, so PyTorch's words are printed. */
const crashing = `
  const fs = require("node:fs");
  const raise = (line) => { console.error("Traceback (most recent call last):\\n" + line); process.exit(1); };
  console.log('{"step": 1, "loss": 3}');
  const crashes = {
    gpuMemory: () => raise("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB."),
    assertion: () => raise("RuntimeError: CUDA error: device-side assert triggered"),
    nan: () => raise("RuntimeError: probability tensor contains either \`inf\`, \`nan\` or element < 0"),
    disk: () => fs.writeFileSync("/dev/full", "checkpoint"),
    kill: () => process.kill(process.pid, "SIGKILL"),
    memory: () => { const all = []; for (;;) all.push(new Array(1e6).fill(all.length)); },
    package: () => require("flash_attn"),
    port: () => { const a = require("node:net").createServer().listen(0, () => require("node:net").createServer().listen(a.address().port)); },
    other: () => raise("KeyError: 'reward'"),
  };
  crashes[process.argv[2]]();
`;

const hanging = `
  let step = 0;
  const timer = setInterval(() => {
    console.log(JSON.stringify({ step: ++step, loss: 3 }));
    if (step === 3) clearInterval(timer);
  }, 50);
  process.on("SIGTERM", () => process.exit(0));
  setInterval(() => {}, 1000);
`;

const node = process.execPath;
const { trainers } = TrainersFile.parse({
  trainers: {
    crashing: {
      kind: "command",
      command: [node, "--max-old-space-size=64", "{home}/crashing.cjs", "{options.how}"],
      options: { how: { type: "text", default: "other" } },
    },
    hanging: { kind: "command", command: [node, "{home}/hanging.cjs"] },
  },
});

async function launch(name: string, wanted: { change?: object; base?: object; minSilenceMs?: number } = {}) {
  for (const [file, text] of Object.entries({ crashing, hanging })) await writeFile(join(folder, `${file}.cjs`), text);
  const launched = await launchProgram({ database, adapter, folder, trainers }, { name, ...wanted });
  stop = launched.stop;
  return (await readRuns(database, { sweepIds: [launched.sweepId] })).map(({ id }) => id);
}

async function until(id: string, isSo: (run: RunDetail) => boolean): Promise<RunDetail> {
  for (;;) {
    const run = await readRun(database, id);
    if (isSo(run)) return run;
    await sleep(50);
  }
}

it(
  "names the kind of eight crashes, quotes the program, and retries as docs/nodes.md says",
  { tags: "soak" },
  async () => {
    const kinds: Record<string, [state: string, quote: string, next: "retry" | "stop"]> = {
      gpuMemory: ["GPU out of memory", "torch.OutOfMemoryError: CUDA out of memory", "stop"],
      assertion: ["CUDA error", "device-side assert triggered", "stop"],
      nan: ["Diverged", "probability tensor contains", "stop"],
      disk: ["Disk full", "ENOSPC: no space left on device", "retry"],
      kill: ["Killed", "signal SIGKILL", "retry"],
      memory: ["Out of memory", "heap out of memory", "stop"],
      package: ["Package missing", "Cannot find module 'flash_attn'", "stop"],
      port: ["Connection lost", "EADDRINUSE", "retry"],
      other: ["Trainer error", "KeyError: 'reward'", "stop"],
    };
    const axes = { "trainer.options.how": Object.keys(kinds) };
    const base = { trainer: { name: "crashing", options: { how: "other" } } };
    const ids = await launch("crashing", { change: { axes }, base });
    const seen = await Promise.all(
      ids.map(async (id) => {
        const run = await until(id, ({ attempts }) => (attempts[0]?.reason ?? null) !== null);
        const [attempt] = run.attempts;
        const trainer = "trainer" in run.spec ? run.spec.trainer : undefined;
        return { how: String(trainer?.options["how"]), reason: attempt?.reason ?? null, attempt, run };
      }),
    );
    expect(seen.map(({ how }) => how).toSorted()).toEqual(Object.keys(kinds).toSorted());
    for (const { how, reason, attempt, run } of seen) {
      const [state, quote, next] = kinds[how] ?? ["", "", "stop"];
      expect(reason && reasonWords[reason].title, how).toBe(state);
      expect(attempt?.done?.reason, how).toContain(quote);
      expect(attempt?.aftermath?.next, how).toBe(next);
      expect(
        run.statusEvents.some(({ text }) => text.includes(quote)),
        how,
      ).toBe(true);
    }
  },
);

it("reports a run without progress, ends it after the plan's limit and retries it", async () => {
  const [id = ""] = await launch("hanging", { minSilenceMs: 1000 });
  const silent = await until(id, ({ reason }) => reason === "no_progress");
  expect([silent.status, silent.reason]).toEqual(["running", "no_progress"]);
  const texts = silent.statusEvents.map(({ text }) => text);
  expect(texts).toContainEqual(expect.stringMatching(/^no new line in the log for \d+ s; its iterations take /));
  // A limit of one minute would make the test wait, so the stored plan gets a shorter one than plans may have.
  await database.prisma
    .$executeRaw`UPDATE cell SET spec = jsonb_set(spec::jsonb, '{execution,maxSilenceMinutes}', '0.01')`;
  const readEnded = () => database.prisma.attempt.findFirst({ where: { runId: id, number: 1, live: false } });
  while ((await readEnded()) === null) await sleep(50);
  expect(await readEnded()).toMatchObject({ reason: "no_progress", aftermath: { next: "retry", atMost: 2 } });
});
