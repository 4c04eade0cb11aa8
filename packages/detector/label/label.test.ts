import { describe, expect, it } from "vitest";
import { split } from "#trainer/spec/rng.ts";
import { isCollapse, labelRun, type LabelInput } from "./label.ts";
import { labelPoints } from "./labelPoints.ts";
import { toEffective } from "../detector.ts";
import { withChanges, type Point } from "../signals/point.ts";
import { generateRun, syntheticSize } from "../testing/generate.ts";

const measure = { kind: "rate", numEffective: 75 } as const;
const series = (length: number, value: (t: number) => number, every = 1) =>
  Array.from({ length }, (_, i) => ({ step: i * every, value: value(i * every) }));
const label = (success: LabelInput["success"], changes: Partial<LabelInput> = {}) =>
  labelRun({ success, measure, finite: [], ...changes });
const learns = (t: number) => Math.min(0.8, 0.2 + 0.01 * t);

describe("the label of a finished run", () => {
  it("puts a collapse where half of the peak is gone, and its onset where the fall began", () => {
    const success = series(200, (t) => (t < 120 ? learns(t) : Math.max(0.05, 0.8 - 0.02 * (t - 120))));
    expect(label(success)).toEqual({
      kind: "collapseTerminal",
      collapseStep: 140,
      onsetStep: 127,
      fall: { from: 0.8, to: expect.closeTo(0.4, 6) },
      tags: [],
    });
  });

  it("tells a collapse that heals from one that does not", () => {
    expect(label(series(200, (t) => (t >= 100 && t < 130 ? 0.1 : learns(t)))).kind).toBe("collapseRecovered");
  });

  it.each([
    ["a run that learns", learns, "healthy"],
    ["a deep dip of nine steps", (t: number) => (t >= 100 && t < 109 ? 0.1 : learns(t)), "dip"],
    ["a third of the peak lost for good", (t: number) => (t < 100 ? learns(t) : 0.5), "ambiguous"],
    ["half of very little", (t: number) => (t < 100 ? 0.03 : 0.01), "healthy"],
  ] as const)("%s is no collapse", (_, value, kind) => expect(label(series(200, value)).kind).toBe(kind));

  it("counts a loss that the run ends with after five steps", () => {
    expect(label(series(105, (t) => (t < 94 ? 0.7 : 0.1))).kind).toBe("collapseTerminal");
    expect(label(series(96, (t) => (t < 94 ? 0.7 : 0.1))).kind).toBe("healthy");
  });

  it("judges evaluations at every fifth step by three of them", () => {
    const found = label(
      series(30, (t) => (t < 80 ? 0.7 : 0.1), 5),
      { measure: { kind: "rate", numEffective: 128 } },
    );
    expect(found).toMatchObject({ kind: "collapseTerminal", collapseStep: 80 });
  });

  it("calls ten steps without finite numbers the end, and nine not", () => {
    const finite = (n: number) =>
      series(60, (t) => t).map(({ step }) => ({ step, isFinite: step < 30 || step >= 30 + n }));
    expect(label(series(60, learns), { finite: finite(10) })).toMatchObject({ kind: "nonFinite", collapseStep: 30 });
    expect(label(series(60, learns), { finite: finite(9) }).kind).toBe("healthy");
  });

  it("says when the reward did not fall with success", () => {
    const success = series(200, (t) => (t < 100 ? learns(t) : Math.max(0.1, 0.8 - 0.01 * (t - 100))));
    expect(label(success, { reward: series(200, (t) => 5 + 0.01 * t) }).tags).toEqual(["hack"]);
    expect(label(success, { reward: success }).tags).toEqual([]);
  });

  it("does not say it of broken numbers: success that stays where it was was not sold for reward", () => {
    const finite = series(200, (t) => t).map(({ step }) => ({ step, isFinite: step < 100 }));
    const found = label(
      series(200, () => 0.8),
      { finite, reward: series(200, () => 8) },
    );
    expect(found).toMatchObject({ kind: "nonFinite", tags: [] });
  });

  it("never says that a run stood still which fell", () => {
    const falls = (to: number) => series(200, (t) => Math.max(to, 0.6 - 0.001 * t));
    expect(label(falls(0.45)).tags).toEqual([]);
    expect(label(falls(0.36))).toEqual({ kind: "ambiguous", tags: [] });
    expect(label(series(200, (t) => (t >= 100 && t < 109 ? 0.1 : 0.6)))).toEqual({ kind: "dip", tags: [] });
  });

  it("says when nothing was learned, and not when nothing was left to", () => {
    expect(label(series(200, () => 0.3)).tags).toEqual(["stalled"]);
    expect(label(series(200, () => 0.97)).tags).toEqual([]);
    expect(label(series(200, learns)).tags).toEqual([]);
  });

  it("counts falling below the start after a gain, for runs that begin with a skill", () => {
    const success = series(200, (t) => (t < 60 ? 0.5 + 0.003 * t : Math.max(0.36, 0.68 - 0.01 * (t - 60))));
    expect(label(success)).toMatchObject({ kind: "collapseTerminal" });
    expect(label(series(200, (t) => (t < 60 ? 0.5 + 0.003 * t : 0.5))).kind).toBe("healthy");
  });

  it("is destroyed by shuffling success over time", () => {
    const values = series(200, (t) => (t < 140 ? learns(t) : 0.05)).map(({ value }) => value);
    expect(label(series(200, (t) => values[t] ?? NaN)).kind).toBe("collapseTerminal");
    const shuffled = Array.from({ length: 100 }, (_, seed) => {
      const rng = split("shuffle", seed);
      const placed = values.map((value) => ({ value, place: rng.next() })).toSorted((a, b) => a.place - b.place);
      return label(placed.map(({ value }, step) => ({ step, value })));
    });
    expect(shuffled.filter(isCollapse).length).toBeLessThanOrEqual(10);
  });

  it("never fires on the noise of flat runs: 300 of 128 episodes", () => {
    for (let seed = 0; seed < 300; seed++) {
      const rng = split("flat", seed);
      const rate = () => Array.from({ length: 75 }, () => Number(rng.next() < 0.4)).reduce((sum, x) => sum + x, 0) / 75;
      expect(label(series(150, rate)).kind).toBe("healthy");
    }
  });
});

describe("an evaluation before training", () => {
  const evaluations = [0.5, 0.14, 0.2, 0.22, 0.16, 0.2, 0.18, 0.2].map((value, i) => ({ step: 4 * i, value }));
  const of128: Partial<LabelInput> = { measure: { kind: "rate", numEffective: 128 } };

  it("is a peak of its own: a policy that loses half of its start at once has collapsed", () => {
    expect(label(evaluations, { ...of128, isFirstBeforeTraining: true })).toMatchObject({
      kind: "collapseTerminal",
      collapseStep: 4,
    });
    // Without the flag, the first value would be smoothed with later values, which removes its peak.
    expect(label(evaluations, of128).kind).not.toBe("collapseTerminal");
  });

  it("is as sure as its episodes make it, and no surer", () => {
    const few = { measure: { kind: "rate", numEffective: 16 }, isFirstBeforeTraining: true } as const;
    expect(label(evaluations, few).kind).toBe("healthy");
  });

  it("does not make collapses of noise: 300 flat runs of evaluations of 128 episodes", () => {
    for (let seed = 0; seed < 300; seed++) {
      const rng = split("flat start", seed);
      const draw = () =>
        Array.from({ length: 128 }, () => Number(rng.next() < 0.4)).reduce((sum, x) => sum + x, 0) / 128;
      const found = label(series(60, draw, 4), { ...of128, isFirstBeforeTraining: true });
      expect(isCollapse(found)).toBe(false);
    }
  });
});

describe("the label of a log", () => {
  const effective = { training: 75, heldOut: 128 };
  it("reads a reward that may be negative against the lowest it began with", () => {
    const points = series(150, (t) => (t < 80 ? -5 + Math.min(7, 0.1 * t) + 0.1 * Math.sin(7 * t) : -5.5)).map(
      ({ step, value }) => ({ iteration: step, values: { "rollout/returnMean": value } }),
    );
    expect(labelPoints(points, effective)).toMatchObject({ kind: "collapseTerminal", collapseStep: 80 });
  });

  it("dates the fall of a reward that never was positive as that of one that always was", () => {
    const at = (shift: number) =>
      series(200, (t) => {
        const reward = t < 120 ? Math.min(-1, -10 + 0.15 * t) : Math.max(-9, -1 - 0.5 * (t - 120));
        return reward + 0.125 * (t % 2) + shift;
      }).map(({ step, value }) => ({ iteration: step, values: { "rollout/returnMean": value } }));
    const found = labelPoints(at(0), effective);
    expect(found.kind).toBe("collapseTerminal");
    expect(found.onsetStep).toBeGreaterThanOrEqual(120);
    const fall = expect.anything();
    for (const shift of [-50, 10, 500]) expect(labelPoints(at(shift), effective)).toEqual({ ...found, fall });
  });

  it("takes the earliest collapse of training and of held-out success", () => {
    const points = series(150, (t) => t).map(({ step }) => ({
      iteration: step,
      values: {
        "rollout/successRate": 0.7,
        ...(step % 5 === 0 && { "evaluation/successRate": step < 100 ? 0.7 : 0.1 }),
      },
    }));
    expect(labelPoints(points, effective)).toMatchObject({ kind: "collapseTerminal", collapseStep: 100 });
  });

  it("finds reward hacking by held-out success too, whichever falls first", () => {
    const hacked = Array.from({ length: 40 }, (_, seed) =>
      labelPoints(generateRun("C_hack", `label ${seed}`, { heldOutEvery: 5 }).points, toEffective(syntheticSize)),
    );
    expect(hacked.filter(({ tags }) => tags.includes("hack")).length).toBe(40);
    const honest = (["C_transient", "C_mismatch", "C_silent"] as const).flatMap((family) =>
      Array.from({ length: 20 }, (_, seed) => generateRun(family, `bench ${seed}`, { heldOutEvery: 10 })),
    );
    const labels = honest.map(({ points }) => labelPoints(points, toEffective(syntheticSize)));
    expect(labels.filter(({ tags }) => tags.includes("hack"))).toEqual([]);
    const paid = (t: number) => ({
      iteration: t,
      values: { "rollout/successRate": 0.8, "rollout/returnMean": 8, "evaluation/successRate": t < 80 ? 0.7 : 0.1 },
    });
    expect(
      labelPoints(
        Array.from({ length: 150 }, (_, t) => paid(t)),
        effective,
      ).tags,
    ).toEqual(["hack"]);
  });

  it("knows an evaluation before training by what its iteration lacks", () => {
    const course = [0.5, 0.14, 0.2, 0.22, 0.16, 0.2, 0.18, 0.2];
    const points = course.map((value, i) => ({
      iteration: 4 * i,
      values: { "evaluation/successRate": value, ...(i > 0 && { "loss/total": 0 }) },
    }));
    expect(labelPoints(points, effective).kind).toBe("collapseTerminal");
    const inTraining = points.map(({ iteration, values }) => ({ iteration, values: { ...values, "loss/total": 0 } }));
    expect(labelPoints(inTraining, effective).kind).not.toBe("collapseTerminal");
  });

  it("takes no drop at an external change for a collapse, and one after it for what it is", () => {
    const run = (value: (t: number) => number, changedAt: readonly number[]) => {
      const points = series(150, value).map(({ step, value: success }) => ({
        iteration: step,
        values: { "rollout/successRate": success },
      }));
      return labelPoints(withChanges(points, changedAt), effective);
    };
    const drops = (t: number) => (t < 60 ? 0.8 : 0.3);
    expect(run(drops, [])).toMatchObject({ kind: "collapseTerminal", collapseStep: 60 });
    expect(run(drops, [60]).kind).toBe("healthy");
    expect(run(drops, [59]).kind).toBe("healthy");
    const dropsAgain = (t: number) => (t < 110 ? drops(t) : 0.05);
    expect(run(dropsAgain, [60])).toMatchObject({ kind: "collapseTerminal", collapseStep: 110 });
  });

  it("judges nobody whose success was not measured, or not often enough for a loss to last", () => {
    const run = (length: number, values: (t: number) => Point["values"]) =>
      labelPoints(
        Array.from({ length }, (_, iteration) => ({ iteration, values: values(iteration) })),
        effective,
      );
    expect(labelPoints([], effective)).toEqual({ kind: "notJudged", tags: [] });
    expect(run(200, () => ({ "loss/total": 1, "policy/entropy": 0.5 })).kind).toBe("notJudged");
    expect(run(200, () => ({ "loss/total": NaN })).kind).toBe("nonFinite");
    expect(run(5, () => ({ "rollout/successRate": 0.5 })).kind).toBe("notJudged");
    expect(run(6, () => ({ "rollout/successRate": 0.5 })).kind).toBe("healthy");
  });
});
