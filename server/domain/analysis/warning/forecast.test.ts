import { describe, expect, it } from "vitest";
import type { Curve } from "#packages/statistics";
import type { ClimbRun } from "./climbs.ts";
import { measureForecast, reportForecast, type RunForecast, summariseForecast } from "./forecast.ts";

type Course = { seed: number; collapseStep?: number; share: (t: number) => number; k1: (t: number) => number };

function makeRun({ seed, collapseStep, share, k1 }: Course, setting = "GRPO"): RunForecast[] {
  const iterations = Int32Array.from({ length: 60 }, (_, i) => i + 1);
  const curve = (of: (t: number) => number): Curve => ({ iterations, values: Float64Array.from(iterations, of) });
  const curves = new Map([
    ["mismatch/essRow", curve(share)],
    ["policy/samplerKl", curve(k1)],
  ]);
  const label: ClimbRun["label"] =
    collapseStep === undefined
      ? { kind: "healthy", tags: [] }
      : { kind: "collapseTerminal", collapseStep, onsetStep: collapseStep - 5, tags: [] };
  const run = measureForecast({ runId: `${setting} ${seed}`, setting, seed, label, lag: 4, curves });
  return run ? [run] : [];
}

describe("what foretells a collapse", () => {
  it("judges iterations from a full lag on that have the whole time to see and no collapse behind them", () => {
    const [fallen] = makeRun({ seed: 0, collapseStep: 30, share: () => 1, k1: () => 0 });
    expect(fallen?.landmarks.map(({ iteration }) => iteration)).toEqual(Array.from({ length: 25 }, (_, i) => i + 5));
    // From iteration 10 on, the collapse at iteration 30 is within twenty iterations.
    expect(fallen?.landmarks.filter(({ isFollowed }) => isFollowed).map(({ iteration }) => iteration)[0]).toBe(10);
    const [well] = makeRun({ seed: 1, share: () => 1, k1: () => 0 });
    expect(well?.landmarks.at(-1)?.iteration).toBe(40);
    expect(well?.landmarks.some(({ isFollowed }) => isFollowed)).toBe(false);
  });

  it("finds the score that tells, and that another is worse by so much", () => {
    const seeds = [0, 1, 2, 3, 4, 5];
    const runs = seeds.flatMap((seed) =>
      makeRun(
        seed < 3
          ? { seed, collapseStep: 30, share: (t) => (t >= 10 ? 0.2 : 0.9), k1: (t) => (t + seed) % 2 }
          : { seed, share: () => 0.8, k1: (t) => (t + seed) % 2 },
      ),
    );
    const [grpo, ...others] = reportForecast(runs);
    expect(others).toEqual([]);
    expect(grpo).toMatchObject({ setting: "GRPO", numCollapsed: 3, numSeeds: 6, numLandmarks: 183, numFollowed: 60 });
    const [low, share, k1] = grpo?.scores ?? [];
    expect([low?.area.value, share?.area.value]).toEqual([1, 1]);
    expect(k1?.area.value).toBeCloseTo(0.5, 1);
    expect(k1?.difference).toBeUndefined();
    expect(low?.difference?.value).toBeCloseTo(1 - (k1?.area.value ?? NaN), 12);
    expect(low?.difference?.interval.low).toBeGreaterThan(0.4);
    expect(summariseForecast(reportForecast(runs))).toMatch(
      /^Effective sample share of rows below 0\.3 predicts collapses best, with an area under the curve of 100\.0 \[.*\] %\.$/,
    );
  });

  it("gives no interval where many resamples have no collapse", () => {
    const runs = [0, 1, 2].flatMap((seed) =>
      makeRun({ seed, ...(seed === 0 && { collapseStep: 30 }), share: (t) => 1 / t, k1: (t) => t }),
    );
    const [grpo] = reportForecast(runs);
    expect(grpo?.scores[1]?.area.value).toBeGreaterThan(0);
    expect(grpo?.scores[1]?.area.interval.low).toBeNaN();
    expect(summariseForecast(reportForecast(runs))).toMatch(/ %, which could be chance \(50 %\)\.$/);
  });

  it("leaves out settings in which no collapse could be foretold, which count in all together", () => {
    const falls = [0, 1].flatMap((seed) => makeRun({ seed, collapseStep: 30, share: (t) => 1 / t, k1: (t) => t }));
    const holds = [0, 1].flatMap((seed) => makeRun({ seed, share: () => 1, k1: () => 0 }, "GSPO"));
    const report = reportForecast([...falls, ...holds]);
    expect(report.map(({ setting, runIds }) => [setting, runIds.length])).toEqual([
      ["All settings", 4],
      ["GRPO", 2],
    ]);
  });
});
