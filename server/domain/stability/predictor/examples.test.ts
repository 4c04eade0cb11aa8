import { describe, expect, it } from "vitest";
import { makeDetector, toEffective, type DetectorState } from "../detector.ts";
import { labelPoints } from "../label/labelPoints.ts";
import { generateRun, syntheticSize, type Family } from "../synthetic/generate.ts";
import { horizon, toExamples } from "./examples.ts";
import { featureNames, readFeatures } from "./features.ts";

const effective = toEffective(syntheticSize);
const detector = makeDetector(effective);
const make = (group: Family) => {
  const { points } = generateRun(group, "examples");
  return { group, points, label: labelPoints(points, effective) };
};

describe("examples", () => {
  it("of a collapsed run end before the collapse, and the last horizon predicts it", () => {
    const run = make("C_isBlow");
    const examples = toExamples(run, detector);
    expect(examples).toHaveLength((run.label.collapseStep ?? NaN) - 20);
    expect(examples.map(({ willCollapse }) => willCollapse).lastIndexOf(false)).toBe(examples.length - horizon - 1);
  });

  it("of another run end where the future is not known", () => {
    const run = make("H_grpo");
    const examples = toExamples(run, detector);
    expect(examples).toHaveLength(run.points.length - horizon - 20);
    expect(examples.some(({ willCollapse }) => willCollapse)).toBe(false);
  });

  it("are not made of a run that nobody can tell", () => {
    expect(toExamples({ ...make("H_grpo"), label: { kind: "ambiguous", tags: [] } }, detector)).toEqual([]);
  });
});

describe("features", () => {
  const stateAfter = (points: ReturnType<typeof make>["points"]): DetectorState =>
    points.reduce((state, point) => detector.next(state, point).state, detector.start());

  it("are finite numbers of about unit size, one a name, in every family's worst hour", () => {
    for (const family of ["C_nan", "C_echo", "C_hack", "H_spiky", "H_solved"] as const) {
      for (const { features } of toExamples(make(family), detector)) {
        expect(features).toHaveLength(featureNames.length);
        expect(features.every((x) => Number.isFinite(x) && Math.abs(x) <= 5)).toBe(true);
      }
    }
  });

  it("are 0 for what was never logged", () => {
    const points = make("H_grpo").points.map(({ iteration, values }) => ({
      iteration,
      values: { "update/gradientNorm": values["update/gradientNorm"] ?? 0 },
    }));
    const features = readFeatures(stateAfter(points));
    const known = featureNames.filter((_, i) => features[i] !== 0);
    expect(known.every((name) => name.startsWith("gradientNorm/"))).toBe(true);
    expect(known).toContain("gradientNorm/known");
  });

  it("rise with the gradient norm", () => {
    const { points } = make("C_isBlow");
    const at = (step: number) => readFeatures(stateAfter(points.slice(0, step)));
    const i = featureNames.indexOf("gradientNorm/shift");
    const collapseStep = make("C_isBlow").label.collapseStep ?? 0;
    expect(at(collapseStep)[i]).toBeGreaterThan(1);
    expect(Math.abs(at(40)[i] ?? NaN)).toBeLessThan(1);
  });
});
