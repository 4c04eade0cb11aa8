import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { Point } from "#packages/detector";
import { methodOf } from "#trainer/spec/method.ts";
import { CellSpec } from "#trainer/spec/run.ts";
import { causes, sortArms } from "./causes.ts";
import { diagnose, diagnoseAlarm } from "./diagnose.ts";
import { printConfusion, tabulate } from "./testing/confusion.ts";
import type { FaultRecord } from "./testing/record.ts";

const root = join(import.meta.dirname, "../../../..");
const specWith = (rollout: object) =>
  CellSpec.parse({ environment: { id: "sokoban" }, method: methodOf("grpo"), rollout });
const plain = specWith({});
const label = { onsetStep: 20, collapseStep: 24, tags: [] };

/** Makes a run of 40 iterations in which success falls from 20 on; `from` 16 on, `moved` replaces the usual values. */
function makeRun(usual: Record<string, number>, moved: Record<string, number>, from = 16): Point[] {
  return Array.from({ length: 40 }, (_, i) => ({
    iteration: i + 1,
    values: { "rollout/successRate": i < 19 ? 0.8 : 0.2, ...usual, ...(i + 1 >= from && moved) },
  }));
}

const causeOf = (points: Point[], { spec = plain, tags = [] as "hack"[] } = {}) =>
  diagnose({ points, spec, label: { ...label, tags } })?.findings.map(({ cause }) => cause);

describe("each cause", () => {
  const stale = specWith({ lag: { kind: "constant", k: 16 } });
  const rounded = specWith({ samplerPrecision: "int8" });
  it.each([
    ["trainerFault", makeRun({ "loss/total": 1 }, { "loss/total": NaN }), plain],
    ["staleSampler", makeRun({ "mismatch/k3": 0.01 }, { "mismatch/k3": 0.3 }), stale],
    ["precision", makeRun({ "mismatch/k3": 0.01 }, { "mismatch/k3": 0.3 }), rounded],
    ["stepTooLarge", makeRun({ "policy/klOld": 0.1, "policy/clipFraction": 0.05 }, {}), plain],
    ["clipInactive", makeRun({ "policy/klOld": 0.1, "policy/clipFraction": 0 }, {}), plain],
    ["lengthLimit", makeRun({ "rollout/truncatedFraction": 0 }, { "rollout/truncatedFraction": 0.6 }), plain],
    ["repetition", makeRun({ "behaviour/repetitionRate": 0 }, { "behaviour/repetitionRate": 0.6 }), plain],
    ["entropyGone", makeRun({ "policy/entropy": 0.3 }, { "policy/entropy": 0.01 }), plain],
    ["formatLost", makeRun({ "rollout/validFormatRate": 1 }, { "rollout/validFormatRate": 0.5 }), plain],
  ])("is named where its metric shows it, before success falls: %s", (cause, points, spec) => {
    expect(causeOf(points, { spec })).toEqual([cause]);
    expect(
      causeOf(
        points.map((point) => ({ ...point, values: { "rollout/successRate": 0.5 } })),
        { spec },
      ),
    ).toEqual([]);
  });

  it("is not read from what came after the collapse", () => {
    for (const [usual, moved] of [
      [{ "loss/total": 1 }, { "loss/total": NaN }],
      [{ "policy/entropy": 0.3 }, { "policy/entropy": 0.01 }],
      [{ "rollout/validFormatRate": 1 }, { "rollout/validFormatRate": 0.5 }],
    ] as const) {
      expect(causeOf(makeRun(usual, moved, 25))).toEqual([]);
    }
  });

  it("is a change of the data only if success falls soon after it", () => {
    const changed = (at: number) =>
      makeRun({}, {}).map((point): Point => (point.iteration === at ? { ...point, annotations: ["data"] } : point));
    expect(causeOf(changed(19))).toEqual(["dataChange"]);
    expect(causeOf(changed(8))).toEqual([]);
  });

  it("is reward without success only if the reward of the same episodes stayed", () => {
    const reward = { "rollout/returnMean": 1 };
    expect(causeOf(makeRun(reward, { "rollout/returnMean": 2 }), { tags: ["hack"] })).toEqual(["rewardHacking"]);
    expect(causeOf(makeRun(reward, { "rollout/returnMean": 0.3 }), { tags: ["hack"] })).toEqual([]);
  });
});

it("cites age, values, iteration and the lead to the fall of success", () => {
  const points = makeRun({ "mismatch/k3": 0.01 }, { "mismatch/k3": 0.3 });
  const found = diagnose({ points, spec: specWith({ lag: { kind: "constant", k: 16 } }), label });
  expect(found?.sentence).toBe(
    "stale sampler: the sampler was 16 versions old and mismatch, k3 rose from 0.0100 to 0.300 at iteration 17, 3 iterations before success fell",
  );
});

it("says readily that no cause was found, and reads nothing after an alarm", () => {
  expect(diagnose({ points: makeRun({}, {}), spec: plain, label })?.sentence).toBe("cause not found");
  const points = makeRun({ "policy/entropy": 0.3 }, { "policy/entropy": 0.01 });
  expect(diagnoseAlarm({ points, spec: plain, at: 15 }).findings).toEqual([]);
  expect(diagnoseAlarm({ points, spec: plain, at: 20 }).findings).toHaveLength(1);
  expect(diagnose({ points, spec: plain, label: { tags: [] } })).toBeUndefined();
});

it("speaks of the alarm where success has not fallen yet, and of one cause once", () => {
  const points = makeRun({ "policy/entropy": 0.3 }, { "policy/entropy": 0.01 }, 8);
  expect(diagnoseAlarm({ points, spec: plain, at: 15 }).sentence).toMatch(/ before the alarm$/);
  const repeated = { "behaviour/repetitionRate": 0.6, "behaviour/loopRate": 0.6 };
  const usual = { "behaviour/repetitionRate": 0, "behaviour/loopRate": 0 };
  expect(causeOf(makeRun(usual, repeated))).toEqual(["repetition"]);
});

it("does not blame a branch with a fresh sampler on the staleness of its origin", () => {
  const initialisation = { kind: "branch" as const, run: "r", iteration: 12 };
  const points = makeRun({ "mismatch/k3": 0.01, "policy/staleness": 16 }, { "mismatch/k3": 0.3 }, 8).map(
    ({ iteration, values }) => ({ iteration, values: { ...values, ...(iteration > 12 && { "policy/staleness": 0 }) } }),
  );
  const asked = { points, label };
  expect(diagnose({ ...asked, spec: { ...plain, initialisation } })?.findings).toEqual([]);
  expect(diagnose({ ...asked, spec: specWith({ lag: { kind: "constant", k: 16 } }) })?.findings).toHaveLength(1);
});

it("names a stale sampler of another trainer only if its age was logged", () => {
  const spec = {
    kind: "imported" as const,
    environment: { id: "math" },
    method: "GRPO",
    sampling: { numEpisodes: 64, groupSize: 8, numHeldOut: 64 },
    budget: { iterations: 40 },
  };
  const mismatch = makeRun({ "policy/samplerKl": 0.001 }, { "policy/samplerKl": 0.3 });
  const aged = mismatch.map((point) => ({ ...point, values: { ...point.values, "policy/staleness": 4 } }));
  const causeIn = (points: Point[]) => diagnose({ points, spec, label })?.findings.map(({ cause }) => cause);
  expect(causeIn(mismatch)).toEqual([]);
  expect(causeIn(aged)).toEqual(["staleSampler"]);
});

it("puts the changes that fit the cause first", () => {
  const arms = (["mask", "learningRate", "tis", "fresh"] as const).map((name) => ({ name }));
  const points = makeRun({ "mismatch/k3": 0.01 }, { "mismatch/k3": 0.3 });
  const found = diagnose({ points, spec: specWith({ lag: { kind: "constant", k: 16 } }), label });
  const sorted = sortArms(arms, found ?? { sentence: "", findings: [] });
  expect(sorted.map(({ name, fits }) => [name, fits.map((cause) => causes[cause]).join()])).toEqual([
    ["fresh", "stale sampler"],
    ["tis", "stale sampler"],
    ["mask", ""],
    ["learningRate", ""],
  ]);
});

it("has in docs/diagnosis.md the confusion tables of the recorded runs", () => {
  const records = gunzipSync(readFileSync(join(root, "studies/diagnosis/runs.jsonl.gz")))
    .toString()
    .trimEnd()
    .split("\n");
  const runs = records.map((line) => JSON.parse(line) as FaultRecord);
  const cells = (text: string) => text.replaceAll(/[ -]+/g, " ").trim();
  const page = cells(readFileSync(join(root, "docs/diagnosis.md"), "utf8"));
  for (const part of ["choose", "judge"] as const) expect(page).toContain(cells(printConfusion(tabulate(runs, part))));
});
