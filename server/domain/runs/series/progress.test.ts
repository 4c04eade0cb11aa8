import { expect, it } from "vitest";
import { measureProgress } from "./progress.ts";
import type { Series } from "#packages/statistics";
import type { SummedAxis } from "./chartData.ts";

/** First iteration of one run in the recorded study: 128 episodes, 979 turns, 10,959 tokens, 8 optimizer steps. */
const logged = {
  "throughput/sampledTokensPerSecond": 17604.44433779433,
  "time/rolloutMs": 622.513258,
  "time/iterationMs": 2293.313295,
  "rollout/responseTokens": 11.194075587334014,
  "rollout/episodeTurns": 7.6484375,
  "update/numSteps": 8,
  "update/skippedSteps": 0,
};
const seriesOf = (runId: string, values: Record<string, number>, iterations: readonly number[]): Series[] =>
  Object.entries(values).map(([key, value]) => ({
    runId,
    key,
    iterations: Int32Array.from(iterations),
    values: Float64Array.from(iterations, () => value),
  }));
const cells = [{ cellId: 1, runIds: ["a", "b"] }];

it.each([
  ["step", 8],
  ["tokens", 10_959],
  ["episodes", 128],
  ["time", 2293.313295],
] as const)("sums what each iteration adds: %s", (axis, each) => {
  const { runs, numWithout } = measureProgress(seriesOf("a", logged, [1, 2, 3]), cells, axis);
  expect(runs.map(({ runId, course }) => [runId, [...course]])).toEqual([["a", [0, each, 2 * each, 3 * each]]]);
  expect(numWithout).toBe(1);
});

it("leaves out optimizer steps that were skipped", () => {
  const series = seriesOf("a", { "update/numSteps": 8, "update/skippedSteps": 3 }, [1]);
  expect([...(measureProgress(series, cells, "step").runs[0]?.course ?? [])]).toEqual([0, 5]);
});

it("advances a configuration by the mean of its runs, and never back where the slower one ends", () => {
  const series = [
    ...seriesOf("a", { "time/iterationMs": 10 }, [1, 2, 3]),
    ...seriesOf("b", { "time/iterationMs": 50 }, [1]),
  ];
  expect([...(measureProgress(series, cells, "time").cells[0]?.course ?? [])]).toEqual([0, 30, 40, 50]);
});

it.each<[SummedAxis, number[]]>([
  ["tokens", [1, 2]],
  ["time", [5, 10]],
])("guesses nothing where a log lacks a metric or iterations: %s", (axis, iterations) => {
  const series = seriesOf("a", { "time/iterationMs": 10, "time/rolloutMs": 5 }, iterations);
  expect(measureProgress(series, cells, axis)).toEqual({ cells: [], runs: [], numWithout: 2 });
});

it("ends where an iteration is missing", () => {
  const series = seriesOf("a", { "time/iterationMs": 10 }, [1, 2, 4]);
  expect(measureProgress(series, cells, "time").runs[0]?.course).toHaveLength(3);
});
