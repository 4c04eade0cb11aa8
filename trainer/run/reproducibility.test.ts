import { spawn, type ChildProcess } from "node:child_process";
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { esbuildOptions, external } from "#server/start/esbuildOptions.ts";
import { isMeasured } from "#trainer/spec/metric.ts";
import { RunEvent, exitCodes } from "#trainer/spec/event.ts";
import { methodOf } from "#trainer/spec/method.ts";
import { RunSpec } from "#trainer/spec/run.ts";
import { split } from "#trainer/spec/rng.ts";
import { inBoth, isSoak } from "#server/testing/soak.ts";
import { mountSmallDisk, unmountSmallDisk } from "./testing/smallDisk.ts";

const root = join(import.meta.dirname, "../..");
const home = mkdtempSync(join(tmpdir(), "arlarena-reproducibility-"));
const bundle = join(home, "trainer.mjs");
const iterations = 6;
const spec = RunSpec.parse({
  v: 1,
  seed: 5,
  environment: { id: "sokoban", maxTurns: 3 },
  // Settings under which a checkpoint has every part: a critic, an adaptive KL, two epochs and a stale sampler.
  method: methodOf("ppo"),
  initialisation: { kind: "demonstrations", numEpisodes: 30, epochs: 1 },
  rollout: {
    numGroups: 2,
    groupSize: 3,
    historyLength: 0,
    maxResponseTokens: 12,
    lag: { kind: "uniform", max: 2 },
    samplerPrecision: "int8",
    samplerNoise: { sigma: 0.02 },
  },
  update: { minibatchRows: 8, epochs: 2, klPlacement: "reward", klTarget: 0.05 },
  evaluation: { every: 2, numEpisodes: 6 },
  budget: { iterations },
  execution: { checkpointEvery: 2, numSamples: 2 },
});

beforeAll(async () => {
  await build({ ...esbuildOptions, entryPoints: ["trainer/run/main.ts"], outfile: bundle, external });
  symlinkSync(join(root, "node_modules"), join(home, "node_modules"), "junction");
  writeFileSync(join(home, "spec.json"), JSON.stringify(spec));
});
afterAll(() => rmSync(home, { recursive: true }));

const folderOf = (name: string): string => join(home, name);
const errorsOf = (name: string): string => join(home, `${name}.stderr`);
const logOf = (name: string): string => join(folderOf(name), "events.jsonl");

function start(
  name: string,
  more: readonly string[] = [],
  specFile = "spec.json",
  environment: Readonly<Record<string, string>> = {},
): ChildProcess {
  const errors = openSync(errorsOf(name), "w");
  const argv = [bundle, join(home, specFile), folderOf(name), ...more];
  const child = spawn(process.execPath, argv, {
    stdio: ["ignore", "ignore", errors],
    env: { ...process.env, ...environment },
  });
  closeSync(errors);
  return child;
}

// The process may have exited before the listener is added.
function ended(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode);
  return new Promise((resolve) => child.once("exit", (code) => resolve(code)));
}

function eventsOf(name: string) {
  const lines = readFileSync(logOf(name), "utf8").split("\n");
  expect(lines.pop()).toBe("");
  return lines.map((line) => RunEvent.parse(JSON.parse(line)));
}

/** Every value of every metric line, except measurements of time and machine. */
function valuesOf(...names: readonly string[]) {
  return names
    .flatMap(eventsOf)
    .flatMap((event) => (event.type === "metrics" ? [event] : []))
    .map(({ iteration, optimizerStep, values }) => ({
      iteration,
      optimizerStep,
      values: Object.fromEntries(Object.entries(values).filter(([key]) => !isMeasured(key))),
    }));
}

async function until(what: string, holds: () => boolean): Promise<void> {
  for (const end = Date.now() + 200_000; !holds(); await sleep(5)) {
    if (Date.now() > end) throw new Error(`waited 200 s for ${what}`);
  }
}

function checkpointsOf(name: string): string[] {
  const folder = join(folderOf(name), "checkpoints");
  return existsSync(folder) ? readdirSync(folder).filter((file) => /^iteration.*safetensors$/.test(file)) : [];
}

const hasResumed = (name: string): boolean =>
  eventsOf(name).some((event) => event.type === "note" && event.text.startsWith("resumed after"));

/** Last iteration in a log to which a process may still be writing. */
const iterationOf = (name: string): number =>
  Math.max(...[...readFileSync(logOf(name), "utf8").matchAll(/"iteration":(\d+)/g)].map((match) => Number(match[1])));

const numLines = (name: string): number =>
  existsSync(logOf(name)) ? readFileSync(logOf(name), "utf8").split("\n").length - 1 : 0;

describe("the same spec gives the same values, to the last bit", () => {
  let whole: ReturnType<typeof valuesOf> = [];
  beforeAll(async () => {
    expect(await Promise.all([ended(start("whole")), ended(start("beside it"))])).toEqual([0, 0]);
    whole = valuesOf("whole");
    expect(whole.length).toBe(iterations + 2);
  });

  it("beside another run", () => {
    expect(valuesOf("beside it")).toEqual(whole);
  });

  const moments = Array.from({ length: 8 }, (_, seed) => ({ seed, share: split(seed, "kill").next() })).filter(
    ({ seed }) => (seed === 1) !== isSoak,
  );
  it.each(moments)(
    "killed at a random moment (seed $seed, $share of the log) and started again",
    { tags: inBoth },
    async ({ seed, share }) => {
      const name = `killed ${seed}`;
      const total = numLines("whole");
      const child = start(name);
      // The process is killed after a random number of log lines and a random delay.
      await until("some lines", () => numLines(name) >= Math.floor(share * total));
      await sleep(split(seed, "pause").int(60));
      child.kill("SIGKILL");
      await ended(child);
      const hadCheckpoint = checkpointsOf(name).length > 0;
      expect(await ended(start(name))).toBe(0);
      expect(hasResumed(name)).toBe(hadCheckpoint);
      expect(valuesOf(name)).toEqual(whole);
      const events = eventsOf(name);
      expect(events.map((event) => event.seq)).toEqual([...events.keys()]);
      expect(events.filter((event) => event.type === "note" && event.level === "error")).toEqual([]);
      expect(events.at(-1)).toMatchObject({ type: "done", exit: "completed", numMetricLines: whole.length });
      const samples = (run: string): string => readFileSync(join(folderOf(run), "samples.jsonl"), "utf8");
      expect(samples(name)).toBe(samples("whole"));
    },
  );

  it(
    "stopped after the iteration at work on request, and taken up by another attempt in a folder of its own",
    { tags: "soak" },
    async () => {
      const child = start("first");
      await until("an iteration", () => numLines("first") >= 6);
      child.kill("SIGTERM");
      const asked = iterationOf("first");
      expect(await ended(child)).toBe(exitCodes.interrupted);
      expect(iterationOf("first")).toBeLessThanOrEqual(asked + 1);
      expect(eventsOf("first").at(-1)).toMatchObject({ type: "done", exit: "interrupted" });

      expect(await ended(start("second", ["--resume-from", folderOf("first")]))).toBe(0);
      expect(valuesOf("first", "second")).toEqual(whole);
      const [started] = eventsOf("second");
      const lastOfFirst = valuesOf("first").at(-1)?.iteration ?? NaN;
      expect(started).toMatchObject({ type: "started", firstIteration: lastOfFirst + 1 });
      expect(hasResumed("second")).toBe(true);
    },
  );

  it("keeps two checkpoints and the reference, and nothing half-written", () => {
    expect(readdirSync(join(folderOf("whole"), "checkpoints")).toSorted()).toEqual([
      "iteration-00000004.safetensors",
      "iteration-00000006.safetensors",
      "reference.safetensors",
    ]);
  });

  it("a damaged checkpoint is passed over for the one before, and the log says so", { tags: "soak" }, async () => {
    const child = start("damaged");
    await until("two checkpoints", () => numLines("damaged") >= 8);
    child.kill("SIGKILL");
    await ended(child);
    const folder = join(folderOf("damaged"), "checkpoints");
    // A draft that the killed process left is no checkpoint.
    const newest = checkpointsOf("damaged").toSorted().at(-1);
    const bytes = readFileSync(join(folder, newest ?? ""));
    bytes[bytes.length - 5] = (bytes[bytes.length - 5] ?? 0) ^ 1;
    writeFileSync(join(folder, newest ?? ""), bytes);
    expect(await ended(start("damaged"))).toBe(0);
    expect(valuesOf("damaged")).toEqual(whole);
    const notes = eventsOf("damaged").flatMap((event) => (event.type === "note" ? [event.text] : []));
    expect(notes.some((text) => text.includes("does not match its checksum"))).toBe(true);
  });

  it("a log that other values stand in is contradicted, not overwritten", { tags: "soak" }, async () => {
    const child = start("doctored");
    await until("an iteration", () => numLines("doctored") >= 7);
    child.kill("SIGKILL");
    await ended(child);
    const changed = readFileSync(logOf("doctored"), "utf8").replace(
      /"rollout\/returnMean":[^,]+/,
      '"rollout/returnMean":99',
    );
    writeFileSync(logOf("doctored"), changed);
    rmSync(join(folderOf("doctored"), "checkpoints"), { recursive: true });
    expect(await ended(start("doctored"))).toBe(0);
    const errors = eventsOf("doctored").flatMap((e) => (e.type === "note" && e.level === "error" ? [e.text] : []));
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatch(/computed again gave other values: rollout\/returnMean was 99, is/);
  });

  it(
    "from the initial policy that another method's run left, or from one made again where that is damaged",
    { tags: "soak" },
    async () => {
      const cache = { ARLARENA_GRAPH_CACHE: join(home, "cache"), ARLARENA_TRAINER_HASH: "some code" };
      const hasStart = (name: string): boolean =>
        eventsOf(name).some((event) => event.type === "note" && event.text.includes("has made already"));
      const other = { ...spec, method: methodOf("grpo"), evaluation: { every: 3, numEpisodes: 4 } };
      writeFileSync(join(home, "other.json"), JSON.stringify({ ...other, budget: { iterations: 1 } }));
      expect(await ended(start("other", [], "other.json", cache))).toBe(0);
      const starts = readdirSync(join(home, "cache", "starts"));
      expect(starts).toHaveLength(1);

      expect(await ended(start("same start", [], "spec.json", cache))).toBe(0);
      expect([hasStart("other"), hasStart("same start")]).toEqual([false, true]);
      expect(valuesOf("same start")).toEqual(whole);

      const path = join(home, "cache", "starts", starts[0] ?? "");
      writeFileSync(path, readFileSync(path).subarray(0, -4));
      expect(await ended(start("damaged start", [], "spec.json", cache))).toBe(0);
      expect(hasStart("damaged start")).toBe(false);
      expect(valuesOf("damaged start")).toEqual(whole);

      const elsewhere = { ...cache, ARLARENA_TRAINER_HASH: "other code" };
      expect(await ended(start("other code", [], "spec.json", elsewhere))).toBe(0);
      expect(hasStart("other code")).toBe(false);
      expect(readdirSync(join(home, "cache", "starts"))).toHaveLength(2);
    },
  );

  it(
    "as a branch without a change, killed while its origin is computed again and after, from the end of the origin on",
    { tags: "soak" },
    async () => {
      const initialisation = { kind: "branch", run: "whole", iteration: 3, origin: spec };
      writeFileSync(join(home, "branch.json"), JSON.stringify({ ...spec, seed: 0, initialisation }));
      const [first, second] = [start("branch", [], "branch.json"), folderOf("branch")];
      await until("a checkpoint of the origin", () => existsSync(join(second, "origin", "checkpoints")));
      first.kill("SIGKILL");
      await ended(first);
      const again = start("branch", [], "branch.json");
      await until("an iteration of the branch", () => valuesOf("branch").length > 0);
      again.kill("SIGKILL");
      await ended(again);
      expect(await ended(start("branch", [], "branch.json"))).toBe(0);
      expect(valuesOf("branch")).toEqual(
        whole.filter(({ iteration, values }) => iteration > 3 && !("clone/loss" in values)),
      );
      const origin = { run: "whole", iteration: 3, kind: "branch", continuation: 0 };
      const started = eventsOf("branch").find(({ type }) => type === "started");
      expect(started).toMatchObject({ firstIteration: 4, origin });
      expect(hasResumed("branch")).toBe(true);
      // The origin kept a checkpoint of iteration 4, so nothing is recomputed.
      const kept = { ...initialisation, iteration: 4 };
      writeFileSync(join(home, "kept.json"), JSON.stringify({ ...spec, seed: 0, initialisation: kept }));
      expect(await ended(start("kept", ["--begin-from", folderOf("whole")], "kept.json"))).toBe(0);
      expect(valuesOf("kept")).toEqual(valuesOf("branch").filter(({ iteration }) => iteration > 4));
      expect(existsSync(join(folderOf("kept"), "origin"))).toBe(false);
    },
  );

  it(
    "as branches that begin together: one computes their origin, the others wait, and its suspension and a kill cost nothing (needs /proc)",
    { tags: "soak" },
    async (test) => {
      if (process.platform !== "linux") return test.skip();
      const initialisation = { kind: "branch", run: "whole", iteration: 5, origin: spec };
      writeFileSync(join(home, "together.json"), JSON.stringify({ ...spec, seed: 0, initialisation }));
      // The cache already contains graphs and initial policies of an earlier test.
      const cache = join(home, "cache");
      const environment = { ARLARENA_GRAPH_CACHE: cache, ARLARENA_TRAINER_HASH: "some code" };
      const begin = (name: string) => start(name, [], "together.json", environment);
      const owners = (): string[] => {
        const work = existsSync(join(cache, "states")) ? readdirSync(join(cache, "states")) : [];
        const folder = work.find((name) => name.endsWith(".work"));
        return folder === undefined
          ? []
          : readdirSync(join(cache, "states", folder)).filter((name) => /^owner-\d+$/.test(name));
      };
      const isTold = (name: string, text: RegExp) =>
        existsSync(logOf(name)) && text.test(readFileSync(logOf(name), "utf8"));

      const first = begin("together 1");
      await until("the first at work", () => owners().length === 1);
      first.kill("SIGSTOP");
      const others = { "together 2": begin("together 2"), "together 3": begin("together 3") };
      const names = ["together 2", "together 3"] as const;
      await until("both to wait", () =>
        names.every((name) => isTold(name, /of 5 in another run, for which this one waits/)),
      );
      // A suspended process does not renew its turn, which is simulated by an old modification time of its file.
      const [turn = ""] = readdirSync(join(cache, "states")).filter((name) => name.endsWith(".work"));
      utimesSync(join(cache, "states", turn, "owner-1"), new Date(0), new Date(0));
      const isAtWork = (name: string) => isTold(name, /recomputing iteration \d of 5"/);
      await until("another at work", () => names.some(isAtWork));
      const second = names.find(isAtWork) ?? "together 2";
      others[second].kill("SIGKILL");
      await ended(others[second]);
      const [third = "together 3"] = names.filter((name) => name !== second);
      expect(await ended(others[third])).toBe(0);
      expect(await ended(begin(second))).toBe(0);
      // The suspended process finds the finished state and continues from it.
      first.kill("SIGCONT");
      expect(await ended(first)).toBe(0);
      const after = whole.filter(({ iteration, values }) => iteration > 5 && !("clone/loss" in values));
      expect(after).not.toEqual([]);
      for (const name of [...names, "together 1"]) expect(valuesOf(name)).toEqual(after);
      expect(readdirSync(join(cache, "states")).filter((name) => !/^\w+$/.test(name))).toEqual([]);
    },
  );

  it("on several threads", { tags: "soak" }, async () => {
    expect(await ended(start("threads", [], "spec.json", { ARLARENA_THREADS: "2" }))).toBe(0);
    const notes = eventsOf("threads").flatMap((event) => (event.type === "note" ? [event.text] : []));
    expect(notes.includes("passes use 2 threads of this machine")).toBe(availableParallelism() > 1);
    expect(valuesOf("threads")).toEqual(whole);
  });

  it("leaves the policy of a finished run, and none of an unfinished one", () => {
    for (const file of ["policy.onnx", "vocabulary.json"]) {
      expect(existsSync(join(folderOf("whole"), file))).toBe(true);
      expect(existsSync(join(folderOf("first"), file))).toBe(false);
    }
  });
});

it("ten updates in a row without a finite gradient end the run as diverged", async () => {
  // If ε is 0, the first step divides 0 by 0 for tokens that never occurred.
  const broken = { ...spec, initialisation: { kind: "scratch" }, optimizer: { ...spec.optimizer, epsilon: 0 } };
  writeFileSync(join(home, "broken.json"), JSON.stringify({ ...broken, budget: { iterations: 30 } }));
  expect(await ended(start("diverged", [], "broken.json"))).toBe(exitCodes.diverged);
  const events = eventsOf("diverged");
  expect(events.at(-1)).toMatchObject({ type: "done", exit: "diverged" });
  const skipped = events.map((event) =>
    event.type === "metrics" ? Number(event.values["update/skippedSteps"] ?? 0) : 0,
  );
  const sum = skipped.reduce((total, x) => total + x, 0);
  expect(sum).toBeGreaterThanOrEqual(10);
  // Skipped steps are logged only when an iteration ends.
  expect(sum - (skipped.at(-2) ?? 0)).toBeLessThan(10);
});

describe("where nothing can be written", () => {
  it("an output folder that is a file is a clear error", async () => {
    writeFileSync(join(home, "a file"), "");
    const child = start("a file");
    expect(await ended(child)).toBe(exitCodes.failed);
    expect(readFileSync(errorsOf("a file"), "utf8")).toContain(`cannot write to ${folderOf("a file")}`);
  });

  it(
    "a disk that fills up ends the run with what was needed, and the last good checkpoint is gone on from",
    { tags: "soak" },
    async (test) => {
      // The disk has room for two checkpoints of about 3.5 MB and the reference, but not for a third checkpoint.
      if (!mountSmallDisk(folderOf("disk"), 8500))
        return test.skip("mounting a small file system takes Linux and root");
      try {
        expect(await ended(start("disk"))).toBe(exitCodes.disk_full);
        const message = /cannot write checkpoint .* of \d\.\d MB, \d\.\d MB are free: ENOSPC/;
        expect(readFileSync(errorsOf("disk"), "utf8")).toMatch(message);
        const done = eventsOf("disk").at(-1);
        expect(done).toMatchObject({ type: "done", exit: "disk_full" });
        expect(done?.type === "done" && done.reason).toMatch(message);
        expect(await ended(start("elsewhere", ["--resume-from", folderOf("disk")]))).toBe(0);
        expect(hasResumed("elsewhere")).toBe(true);
      } finally {
        unmountSmallDisk(folderOf("disk"));
      }
    },
  );

  it(
    "a checkpoint folder that is a file ends the run, and the log says which file and why",
    { tags: "soak" },
    async () => {
      const child = start("blocked");
      await until("the folder", () => existsSync(folderOf("blocked")));
      child.kill("SIGKILL");
      await ended(child);
      rmSync(join(folderOf("blocked"), "checkpoints"), { recursive: true, force: true });
      writeFileSync(join(folderOf("blocked"), "checkpoints"), "");
      expect(await ended(start("blocked"))).toBe(exitCodes.failed);
      const reason = expect.stringContaining("cannot make the folder of checkpoints");
      expect(eventsOf("blocked").at(-1)).toMatchObject({ type: "done", exit: "failed", reason });
    },
  );
});
