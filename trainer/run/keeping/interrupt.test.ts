import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { methodOf } from "#trainer/spec/method.ts";
import { RunSpec } from "#trainer/spec/run.ts";
import type { Snapshot } from "./checkpoints.ts";
import { Interrupted, interruptedEarly, letSignalsIn, makeInterrupt } from "./interrupt.ts";
import { makeRecorder } from "#trainer/run/testing/recorder.ts";
import { train } from "#trainer/run/train.ts";

test("a check passes until a stop is requested, and throws from then on", () => {
  const interrupt = makeInterrupt();
  interrupt.check();
  interrupt.request();
  expect(() => interrupt.check()).toThrow(Interrupted);
  expect(() => interrupt.check()).toThrow(Interrupted);
});

test("a run that never checks is stopped at the deadline, counted from the first request", async () => {
  const interrupt = makeInterrupt(100);
  const begin = Date.now();
  interrupt.request();
  // If the deadline were counted from the latest request, it would never be reached.
  const over = new AbortController();
  const busy = (async () => {
    while (!over.signal.aborted) {
      interrupt.request();
      await letSignalsIn();
    }
  })();
  interrupt.atDeadline(() => ({ exit: "interrupted", reason: "after iteration 3" }));
  expect(await interrupt.deadline).toEqual({ exit: "interrupted", reason: "after iteration 3" });
  expect(Date.now() - begin).toBeGreaterThanOrEqual(99);
  over.abort();
  await busy;
});

test("before the first iteration there is nothing to save at the deadline", async () => {
  const interrupt = makeInterrupt(1);
  interrupt.request();
  expect(await interrupt.deadline).toEqual(interruptedEarly);
});

test("what cannot be saved at the deadline is an error, not an interruption", async () => {
  const interrupt = makeInterrupt(1);
  interrupt.atDeadline(() => {
    throw new Error("disk full");
  });
  interrupt.request();
  await expect(interrupt.deadline).rejects.toThrow("disk full");
});

test("a run that does not check in time is saved as of its last whole iteration, while it goes on", async () => {
  const folder = mkdtempSync(join(tmpdir(), "arlarena-interrupt-"));
  const spec = RunSpec.parse({
    v: 1,
    seed: 7,
    environment: { id: "sokoban", maxTurns: 3 },
    method: methodOf("grpo"),
    initialisation: { kind: "scratch" },
    rollout: { numGroups: 2, groupSize: 3, historyLength: 0, maxResponseTokens: 8 },
    evaluation: { every: 1000, numEpisodes: 2 },
    budget: { iterations: 1000 },
    execution: { checkpointEvery: 1000 },
  });
  const { run, lines } = makeRecorder(folder);
  const saved: Snapshot[] = [];
  const interrupt = makeInterrupt(50);
  let isDeaf = true;
  const training = train(spec, {
    ...run,
    checkpoints: { ...run.checkpoints, save: (snapshot) => saved.push(snapshot) },
    interrupt: { ...interrupt, check: () => (isDeaf ? undefined : interrupt.check()) },
    log: {
      ...run.log,
      metrics: (progress, values) => {
        run.log.metrics(progress, values);
        if (progress.iteration === 2) interrupt.request();
      },
    },
  });
  const outcome = await Promise.race([training, interrupt.deadline]);
  const last = lines.at(-1)?.iteration ?? NaN;
  expect(last).toBeGreaterThanOrEqual(2);
  expect(outcome).toEqual({ exit: "interrupted", reason: `stopped on request after iteration ${last}` });
  expect(saved.map((snapshot) => snapshot.iteration)).toEqual([0, last]);
  isDeaf = false;
  await training;
  rmSync(folder, { recursive: true });
});
