import { describe, expect, it } from "vitest";
import { split } from "#trainer/spec/rng.ts";
import { bootstrap } from "./bootstrap.ts";
import { compareMethods } from "./compare.ts";
import { bootstrapImprovement } from "./effectSize.ts";
import { parseLongFormat } from "./longFormat.ts";
import type { Scores } from "./scores.ts";
import { mean } from "./summary.ts";

/** Reference implementation that compares every pair of values. */
function slowly(x: Scores, y: Scores): number {
  const beats = (a: number, b: number): number => (a > b ? 1 : a === b ? 0.5 : 0);
  return mean(x.map((own, task) => mean(own.flatMap((a) => (y[task] ?? []).map((b) => beats(a, b))))));
}

describe("the probability of improvement from sorted places", () => {
  it("is that of all pairs to the last bit, with its bootstrap, ties and sides of different sizes", () => {
    const rng = split(8, "rates");
    for (const [numTasks, n, m] of [
      [1, 3, 3],
      [2, 7, 5],
      [3, 12, 9],
    ] as const) {
      const draw = (size: number) =>
        Array.from({ length: numTasks }, () => Array.from({ length: size }, () => rng.int(12) / 12 - 0.3));
      const [x, y] = [draw(n), draw(m)];
      const options = { seed: 4, numResamples: 300 };
      const oracle = bootstrap([...x, ...y], (all) => slowly(all.slice(0, numTasks), all.slice(numTasks)), options);
      expect(bootstrapImprovement(x, y, options)).toEqual(oracle);
    }
  });

  it("is the same where tasks are pooled and one run yields several of them", () => {
    const rng = split(9, "rates");
    const values = ["GRPO", "GSPO"].map(() => [0, 1, 2].map(() => Array.from({ length: 8 }, () => rng.int(9) / 8)));
    const places = [
      ["alfworld", "pick"],
      ["alfworld", "heat"],
      ["sokoban", "all"],
    ] as const;
    const lines = values.flatMap((own, m) =>
      own.flatMap((scores, task) =>
        scores.map((value, seed) => `${places[task]?.join(",")},${m === 0 ? "GRPO" : "GSPO"},${seed},${value}`),
      ),
    );
    const { pooled } = compareMethods(parseLongFormat(["env,subtask,method,seed,value", ...lines].join("\n")), {
      numResamples: 400,
    });
    const strata = values.map((own) => [
      (own[0] ?? []).map((value, seed) => [value, own[1]?.[seed] ?? NaN]),
      (own[2] ?? []).map((value) => [value]),
    ]);
    const toScores = (drawn: readonly (readonly (readonly number[])[])[]) =>
      drawn.flatMap((rows) => (rows[0] ?? []).map((_, column) => rows.map((row) => row[column] ?? NaN)));
    const [grpo = [], gspo = []] = strata;
    const { estimate, interval, standardError } = bootstrap(
      [...gspo, ...grpo],
      (drawn) => slowly(toScores(drawn.slice(0, 2)), toScores(drawn.slice(2))),
      { numResamples: 400 },
    );
    const method = pooled.kind === "pooled" ? pooled.methods.find((own) => own.method === "GSPO") : undefined;
    expect(method?.improvement).toEqual({ value: estimate, interval, standardError });
  });
});
