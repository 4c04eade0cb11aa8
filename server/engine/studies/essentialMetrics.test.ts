import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { makeDetector, toEffective, replay } from "#packages/detector";
import { signalSets, signalsOf } from "#server/domain/analysis/warning/signals.ts";
import { parseEventLog } from "#server/domain/trainers/import/toEventLog.ts";
import { keepEssential, metricsOf } from "./exportStudy.ts";
import { StudyLines } from "./studyLines.ts";
import { AttemptLine, StudyHead } from "./studyFile.ts";

/** Reads the logs of the first runs of a recorded study. */
async function readLogs(count: number): Promise<string[][]> {
  const lines = new StudyLines(fileURLToPath(new URL("../../../studies/table3-sokoban.arlarena", import.meta.url)));
  await lines.parse(StudyHead);
  const logs: string[][] = [];
  while (logs.length < count) {
    await lines.next();
    const { logLines, sampleLines } = await lines.parse(AttemptLine);
    logs.push(await lines.take(logLines));
    await lines.take(sampleLines);
  }
  await lines.close();
  return logs;
}

it("changes no reading or event of the detector in five digits, in half the text or less", async () => {
  const detector = makeDetector(toEffective({ numEpisodes: 128, groupSize: 8, numHeldOut: 128 }));
  for (const log of await readLogs(3)) {
    const thin = log.map((line) => keepEssential(line));
    const [whole, kept] = [log, thin].map((lines) => replay(detector, parseEventLog(lines.join("\n"))));
    expect(whole?.readings.length).toBeGreaterThan(40);
    expect(roundAll(kept)).toEqual(roundAll(whole));
    expect(thin.join("").length).toBeLessThan(0.5 * log.join("").length);
  }
});

/** Rounds all numbers in a value to five digits. */
function roundAll(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_, part: unknown) =>
    typeof part === "number" ? Number(part.toPrecision(5)) : part,
  );
}

it("rounds to single precision what no table states, except integers and numbers that it cannot hold", () => {
  const values = { "update/gradientNorm": 0.1, "policy/entropy": 0.1, "policy/staleness": 123_456_789 };
  const line = JSON.stringify({
    type: "metrics",
    values: { ...values, "policy/klOld": 1e-60, "policy/ratioMax": 1e60 },
  });
  expect(keepEssential(line)).toBe(line.replace('"policy/entropy":0.1', `"policy/entropy":${Math.fround(0.1)}`));
  expect(keepEssential(line, new Set(["policy/entropy"]))).toBe(line);
});

it("keeps what proofs count as dropped and what their queries name, whatever signs are in the names", () => {
  const named = "evaluation/in/one-box/successRate";
  const line = JSON.stringify({
    type: "metrics",
    values: { "response/aborted_ratio": 0.1, [named]: 0.3, "other/name": 0.2 },
  });
  const asked = metricsOf([{ query: { kind: "compare", metric: named } }]);
  expect(keepEssential(line, asked)).toBe(line.replace(',"other/name":0.2', ""));
});

it("keeps results in other environments, which the matrix of transfer reads", () => {
  const values = { "evaluation/elsewhere/cool/successRate": 0.5, "update/learningRate": 1e-3 };
  const line = JSON.stringify({ type: "metrics", iteration: 0, values });
  expect(JSON.parse(keepEssential(line))).toEqual({
    type: "metrics",
    iteration: 0,
    values: { "evaluation/elsewhere/cool/successRate": 0.5 },
  });
});

it("keeps the signals that Early warning compares", () => {
  const metrics = signalSets.flatMap((set) => signalsOf[set].map(({ metric }) => metric));
  const values = Object.fromEntries(metrics.map((metric, i) => [metric, i]));
  const line = JSON.stringify({ type: "metrics", iteration: 1, values });
  expect(keepEssential(line)).toBe(line);
});

it("leaves alone what measures nothing, and a line that is torn", () => {
  for (const line of ['{"type":"done","exit":"completed"}', "Segmentation fault", '{"type":"metrics","values":{"a']) {
    expect(keepEssential(line)).toBe(line);
  }
});
