import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { generateRun, syntheticSize } from "#packages/detector/testing/generate.ts";
import { printDetection } from "./printDetection.ts";

const folder = await mkdtemp(join(tmpdir(), "arlarena-detect-"));
afterAll(() => rm(folder, { recursive: true }));
let numFiles = 0;
async function detect(lines: readonly string[]) {
  const path = join(folder, String(numFiles++));
  await writeFile(path, lines.join("\n"));
  return printDetection(path, syntheticSize);
}

const Found = z.object({
  format: z.string(),
  steps: z.object({ count: z.number(), first: z.number(), last: z.number() }),
  read: z.record(z.string(), z.string()),
  missing: z.array(z.object({ name: z.string(), needs: z.string() })),
  states: z.array(z.object({ iteration: z.number(), status: z.string() })),
  events: z.array(z.object({ iteration: z.number(), severity: z.string(), message: z.string() })),
  label: z.object({ kind: z.string(), collapseStep: z.number().optional() }),
});

const { points, collapseStep = 0 } = generateRun("C_isBlow", "cli");
const toJson = (x: number | undefined) => (x === undefined ? "0" : Number.isFinite(x) ? String(x) : "null");

/** Logs of the same run in each log format. */
const logs = {
  events: points.map(({ iteration, values }, seq) =>
    JSON.stringify({ v: 1, seq, atMs: 0, type: "metrics", iteration, optimizerStep: iteration, values }),
  ),
  metrics: points.map(({ iteration, values }) => JSON.stringify({ iteration, ...values })),
  verlConsole: points.map(
    ({ iteration, values }) =>
      `(TaskRunner pid=7) step:${iteration} - actor/grad_norm:np.float64(${values["update/gradientNorm"]}) - actor/kl_loss:${values["policy/klReference"]} - actor/ppo_kl:${values["policy/klOld"]} - episode/success_rate:${values["rollout/successRate"]} - episode/valid_action_ratio:${values["rollout/validActionRate"]}`,
  ),
  verlFile: points.map(
    ({ iteration, values }) =>
      `{"step": ${iteration}, "data": {"actor/grad_norm": ${toJson(values["update/gradientNorm"])}, "episode/success_rate": ${values["rollout/successRate"]}}}`,
  ),
  trlPrinted: points.map(
    ({ values }) =>
      `{'loss': ${values["loss/total"]}, 'grad_norm': ${values["update/gradientNorm"]}, 'kl': ${values["policy/klReference"]}, 'reward': ${values["rollout/returnMean"]}, 'reward_std': ${values["group/returnStd"]}, 'epoch': 0.1}`,
  ),
};

describe("npx arlarena detect", () => {
  it.each(Object.entries(logs))("finds the collapse in a log of kind %s", async (format, lines) => {
    const { json, exitCode } = await detect(["a line that is none", ...lines, '{"torn": 1']);
    expect(exitCode).toBe(0);
    const found = Found.parse(json);
    expect(found.format).toBe(format);
    expect(found.steps.count).toBe(points.length);
    expect(found.label.kind).toBe("collapseTerminal");
    expect(Math.abs((found.label.collapseStep ?? 0) - collapseStep)).toBeLessThanOrEqual(4);
    const unstable = found.events.find(({ severity }) => severity === "unstable");
    expect(Math.abs((unstable?.iteration ?? 0) - collapseStep)).toBeLessThanOrEqual(60);
    expect(found.states.at(-1)?.status).toBe("collapsed");
  });

  it("names what was read under which key, and what was missing", async () => {
    const found = Found.parse((await detect(logs.verlFile)).json);
    expect(found.read).toEqual({ gradientNorm: "actor/grad_norm", trainingSuccess: "episode/success_rate" });
    expect(found.missing.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["klReference", "entropy", "returnSpread", "hacking"]),
    );
    expect(found.missing.find(({ name }) => name === "klReference")?.needs).toBe("KL to reference");
    expect(Found.parse((await detect(logs.metrics)).json).missing).toEqual([]);
  });

  it("reads TRL's trainer state, and what it prints of an evaluation as of the step before", async () => {
    const history = points.map(({ iteration, values }) => ({ step: iteration, reward: values["rollout/returnMean"] }));
    const state = Found.parse((await detect([JSON.stringify({ log_history: history })])).json);
    expect(state).toMatchObject({ format: "trlState", read: { trainingSuccess: "reward" } });
    const printed = logs.trlPrinted.flatMap((line) => [line, "{'eval_loss': 0.5, 'eval_runtime': 3}"]);
    expect(Found.parse((await detect(printed)).json).steps).toEqual({
      count: points.length,
      first: 1,
      last: points.length,
    });
  });

  it("takes numbers that are not finite in every spelling", async () => {
    const spell = ["NaN", null] as const;
    const lines = points.map(({ iteration, values }) =>
      JSON.stringify({ iteration, ...values, ...(iteration >= 60 && { "loss/total": spell[iteration % 2] }) }),
    );
    expect(Found.parse((await detect(lines)).json).label).toMatchObject({ kind: "nonFinite", collapseStep: 60 });
  });

  it("goes on where a run resumed", async () => {
    const lines = [...logs.metrics.slice(0, 80), ...logs.metrics.slice(70)];
    const { file: _, ...whole } = (await detect(logs.metrics)).json;
    const { file: __, ...resumed } = (await detect(lines)).json;
    expect(resumed).toEqual(whole);
  });

  it("reads NaN and Infinity as Python writes them: a run that diverges at 100 is not called healthy", async () => {
    const lines = Array.from({ length: 140 }, (_, i) => {
      const loss = i < 100 ? "0.5" : i % 2 === 0 ? "NaN" : "-Infinity";
      return `{"step": ${i + 1}, "note": "NaN", "actor/pg_loss": ${loss}, "episode/success_rate": 0.${4 + (i % 3)}}`;
    });
    for (const log of [lines, [`{"log_history": [${lines.join(", ").replaceAll("actor/pg_loss", "loss")}]}`]]) {
      const found = Found.parse((await detect(log)).json);
      expect(found.steps.count).toBe(140);
      expect(found.label).toMatchObject({ kind: "nonFinite", collapseStep: 101 });
      expect(found.states.at(-1)?.status).toBe("collapsed");
    }
  });

  it("takes evaluations that are logged three steps late for what they are, not for restarts", async () => {
    const line = (step: number, values: object) => JSON.stringify({ step, ...values });
    const late = Array.from({ length: 400 }, (_, i) => [
      line(i + 1, { "episode/success_rate": 0.5 + 0.01 * (i % 7), "actor/grad_norm": 0.4 }),
      ...(i % 5 === 4 ? [line(i - 2, { "val/success_rate": 0.5 })] : []),
    ]).flat();
    const { json, remarks } = await detect(late);
    expect(Found.parse(json).steps).toEqual({ count: 400, first: 1, last: 400 });
    expect(remarks).toEqual([]);
  });

  it("says where a run went back, and what it did not understand, beside the answer and in it", async () => {
    const again = logs.metrics.slice(70).map((line) => line.replace("{", '{"time/iterationMs": 7, '));
    const timed = logs.metrics.map((line) => line.replace("{", '{"time/iterationMs": 5, '));
    const strange = ["\u001b[2J{'half': ", "x".repeat(5000), "  third", "fourth"];
    const { json, remarks } = await detect([...strange, ...timed.slice(0, 80), ...again]);
    expect(json["unread"]).toEqual({
      count: 4,
      first: ["{'half': ", `${"x".repeat(160)}… (5000 characters)`, "  third"],
      lines: [1, 2, 3],
    });
    expect(remarks).toHaveLength(2);
    expect(remarks?.[0]).toContain("went back to step 70 after step 79");
    expect(remarks?.[1]).toContain("4 lines were not understood: the first are “{'half': ” (line 1)");
  });

  it("reads success in per cent as that, and says so: a fall from 80 % is no health above 1", async () => {
    const line = (step: number, rate: number) =>
      JSON.stringify({ step, "episode/success_rate": rate, "val/success_rate": rate });
    const fallen = Array.from({ length: 120 }, (_, i) =>
      line(i + 1, i < 4 ? 0.1 * 7 : i < 60 ? 78 + (i % 5) : 3 + (i % 2)),
    );
    const { json, remarks } = await detect(fallen);
    expect(Found.parse(json).label.kind).toBe("collapseTerminal");
    expect(remarks?.[0]).toContain("episode/success_rate lies between 0.7 and 82: it is read as per cent");
    const counts = await detect(Array.from({ length: 120 }, (_, i) => line(i + 1, 500 + i)));
    expect(counts.exitCode).toBe(2);
    expect(counts.text).toContain("none of its metrics");
  });

  it("translates flat lines under verl's own keys", async () => {
    const flat = logs.verlFile.map((line) => line.replace('"data": {', "").replace("}}", "}"));
    const found = Found.parse((await detect(flat)).json);
    expect(found).toMatchObject({ format: "metrics", label: { kind: "collapseTerminal" } });
    expect(found.read).toEqual({ gradientNorm: "actor/grad_norm", trainingSuccess: "episode/success_rate" });
  });

  it.each([
    ["nothing", [], "no measurements found"],
    ["no metric that is read", ['{"iteration": 1, "time/iterationMs": 5}'], "none of its metrics"],
  ])("says what it reads when there is %s", async (_, lines, message) => {
    const { text, exitCode } = await detect(lines);
    expect(exitCode).toBe(2);
    expect(text).toContain(message);
  });

  it("reads all runs of a folder, each as it reads its file", async () => {
    const top = join(folder, "runs");
    await mkdir(join(top, "gspo_s2"), { recursive: true });
    await writeFile(join(top, "gspo_s2", "metrics.jsonl"), logs.metrics.join("\n"));
    await writeFile(join(top, "grpo_s1.jsonl"), logs.metrics.slice(0, 60).join("\n"));
    await writeFile(join(top, "notes.txt"), "nothing");
    const { json, exitCode, remarks } = await printDetection(top, syntheticSize);
    const single = Found.parse((await detect(logs.metrics)).json);
    expect(exitCode).toBe(0);
    expect(remarks).toEqual([expect.stringMatching(/^left out: .*notes\.txt: no measurements/)]);
    expect(json).toMatchObject({
      runs: [
        { method: "GRPO", seed: 1, steps: { count: 60 } },
        { method: "GSPO", seed: 2, label: single.label, states: single.states, steps: single.steps },
      ],
    });
  });

  it("says that a file is not there", async () => {
    const { text, exitCode } = await printDetection(join(folder, "none"), syntheticSize);
    expect([exitCode, text]).toEqual([2, expect.stringContaining("there is no file")]);
  });
});
