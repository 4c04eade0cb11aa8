import { appendFile, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { openJournal } from "./journal.ts";

const home = await mkdtemp(join(tmpdir(), "arlarena-journal-"));
afterAll(() => rm(home, { recursive: true, force: true }));
const writer = { specHash: "", code: "mlflow", pid: 0, firstIteration: 0 };
let numFiles = 0;
let path = "";
beforeEach(() => void (path = join(home, `${++numFiles}`, "events.jsonl")));

const metric = (key: string, step: number, value: number, timestampMs = 1000 + step) => ({
  key,
  step,
  value,
  timestampMs,
});
const lines = async () =>
  (await readFile(path, "utf8"))
    .trimEnd()
    .split("\n")
    .map((line): unknown => JSON.parse(line));

describe("the journal of another trainer's run", () => {
  it("writes measurements of one moment as one line under the catalogue's names and units", async () => {
    const journal = await openJournal(path, writer);
    await journal.append([metric("actor/ppo_kl", 1, NaN), metric("timing_s/step", 1, 2.5), metric("own", 1, 7)]);
    expect((await lines())[1]).toEqual({
      v: 1,
      seq: 1,
      type: "metrics",
      atMs: 1001,
      iteration: 1,
      optimizerStep: 1,
      values: { "policy/klOld": "NaN", "time/iterationMs": 2500, own: 7 },
      originals: { "policy/klOld": "actor/ppo_kl", "time/iterationMs": "timing_s/step" },
    });
    expect(journal.newest()).toEqual([
      metric("actor/ppo_kl", 1, NaN),
      metric("timing_s/step", 1, 2.5),
      metric("own", 1, 7),
    ]);
  });

  it("writes what is sent twice once, after a restart too", async () => {
    const sent = [metric("actor/ppo_kl", 1, 0.5), metric("actor/ppo_kl", 2, 0.6)];
    const journal = await openJournal(path, writer);
    await Promise.all([journal.append(sent), journal.append(sent), journal.append(sent)]);
    const again = await openJournal(path, writer);
    await again.append([...sent, metric("actor/ppo_kl", 3, 0.7)]);
    expect((await lines()).map((line) => (line as { seq: number }).seq)).toEqual([0, 1, 2, 3]);
    expect(again.read()).toHaveLength(3);
  });

  it("keeps a trainer's own sign and unit for whoever asks, and knows a repeated value again", async () => {
    const sent = [
      metric("actor/policykl", 1, 0.1),
      metric("time/step_total", 1, 0.3),
      metric("actor/ratio_mean", 1, 1),
    ];
    const journal = await openJournal(path, writer);
    await journal.append(sent);
    expect((await lines())[1]).toMatchObject({ values: { "policy/klOld": -0.1, "time/iterationMs": 300 } });
    const again = await openJournal(path, writer);
    expect(await again.append(sent)).toEqual([]);
    expect(again.newest()).toEqual(sent);
  });

  it("keeps two keys of one meaning apart, whichever comes in which message", async () => {
    const journal = await openJournal(path, writer);
    await journal.append([metric("episode/reward/mean", 1, 1)]);
    await journal.append([metric("critic/score/mean", 1, 5), metric("episode/reward/mean", 2, 2)]);
    const again = await openJournal(path, writer);
    await again.append([metric("critic/score/mean", 2, 6)]);
    const values = (await lines()).slice(1).map((line) => (line as { values: unknown }).values);
    expect(values).toEqual([
      { "rollout/returnMean": 1 },
      { "critic/score/mean": 5 },
      { "rollout/returnMean": 2 },
      { "critic/score/mean": 6 },
    ]);
  });

  it("cuts a torn last line off, and takes what it said again", async () => {
    const journal = await openJournal(path, writer);
    await journal.append([metric("a", 1, 1)]);
    await appendFile(path, '{"v":1,"seq":2,"type":"metr');
    const again = await openJournal(path, writer);
    await again.append([metric("a", 1, 1), metric("a", 2, 2)]);
    await again.end("completed", "over");
    expect(await lines()).toHaveLength(4);
    expect((await lines())[3]).toMatchObject({ type: "done", seq: 3, numMetricLines: 2 });
  });
});
