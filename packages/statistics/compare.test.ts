import { describe, expect, it } from "vitest";
import { compareMethods, type CompareOptions } from "./compare.ts";
import { parseLongFormat } from "./longFormat.ts";

const compare = (text: string, options: CompareOptions = {}) =>
  compareMethods(parseLongFormat(text), { numResamples: 2000, ...options });

/** Writes values by method and environment as lines of a long-format file. */
function toFile(values: Readonly<Record<string, Readonly<Record<string, readonly (number | string)[]>>>>): string {
  const lines = Object.entries(values).flatMap(([env, methods]) =>
    Object.entries(methods).flatMap(([method, own]) => own.map((value, seed) => `${env},${method},${seed},${value}`)),
  );
  return ["env,method,seed,value", ...lines].join("\n");
}

const y = [61, 70.3, 55.4, 66.8, 63.5];
const x = [72.4, 75.1, 69.8, 78, 74.2];
const worked = toFile({ sokoban: { GRPO: y, SAMPO: x, Third: [60, 62, 59, 65, 61] } });

describe("the worked comparison as a file", () => {
  const comparison = compare(worked);
  const [panel] = comparison.panels;
  const method = (name: string) => panel?.methods.find((own) => own.method === name);

  it("summarises each method", () => {
    expect(comparison.baseline).toBe("GRPO");
    expect(method("SAMPO")).toMatchObject({
      n: 5,
      seeds: ["0", "1", "2", "3", "4"],
      mean: expect.closeTo(73.9, 10),
      std: expect.closeTo(3.0578, 4),
      interval: { low: expect.closeTo(73.9 - 3.79673, 5), high: expect.closeTo(73.9 + 3.79673, 5) },
      evidence: "full",
      worstFifth: 69.8,
    });
    expect(method("GRPO")?.against).toBeUndefined();
  });

  it("tests each against the baseline, corrected over two", () => {
    const against = method("SAMPO")?.against;
    expect(panel).toMatchObject({ test: "welch", numCompared: 2 });
    expect(against).toMatchObject({
      difference: expect.closeTo(10.5, 10),
      interval: { low: expect.closeTo(3.4822, 4), high: expect.closeTo(17.5178, 4) },
      p: expect.closeTo(0.0103951, 7),
      correctedP: expect.closeTo(2 * 0.0103951, 6),
      stars: "*",
      effects: { hedgesG: expect.closeTo(2.079851, 6), cliffDelta: expect.closeTo(0.92, 10) },
      improvement: { value: expect.closeTo(0.96, 10) },
    });
    expect(against?.tests.paired?.p).toBeCloseTo(0.0025742, 7);
    expect(method("Third")?.against?.stars).toBe("");
  });

  it("names another test when asked, and another baseline", () => {
    const other = compare(worked, { test: "mannWhitney", baseline: "Third", level: 0.9 });
    expect(other.panels[0]).toMatchObject({ test: "mannWhitney", numCompared: 2 });
    expect(other.panels[0]?.methods[2]?.against).toBeUndefined();
    expect(() => compare(worked, { baseline: "PPO" })).toThrow("the methods are GRPO, SAMPO, Third");
  });

  it("can be repeated, and does not change with the order of the lines", () => {
    expect(compare(worked)).toEqual(comparison);
    const [header = "", ...lines] = worked.split("\n");
    const shuffled = compare([header, ...lines.toReversed()].join("\n"), { baseline: "GRPO" });
    const sampo = shuffled.panels[0]?.methods.find((own) => own.method === "SAMPO");
    expect(sampo?.against?.p).toBeCloseTo(method("SAMPO")?.against?.p ?? NaN, 12);
  });
});

describe("few seeds", () => {
  it("below three: no interval, no test, no effect size, and a note", () => {
    const { panels, notes } = compare(toFile({ e: { GRPO: [0.1, 0.2], B: [0.9, 0.95] } }));
    const [, b] = panels[0]?.methods ?? [];
    expect(b).toMatchObject({ evidence: "none", interval: { low: NaN, high: NaN } });
    expect(b?.against).toMatchObject({ p: NaN, correctedP: NaN, stars: "", improvement: { value: NaN } });
    expect(b?.against?.effects.hedgesG).toBeNaN();
    expect(b?.against?.difference).toBeCloseTo(0.775, 10);
    expect(notes.join("\n")).toContain("fewer than five seeds");
  });

  it("three: interval and effect size with a badge, never stars", () => {
    const { panels } = compare(toFile({ e: { GRPO: [0.1, 0.11, 0.12], B: [0.9, 0.91, 0.92] } }));
    const [, b] = panels[0]?.methods ?? [];
    expect(b).toMatchObject({ evidence: "underpowered", explanation: expect.stringContaining("underpowered") });
    expect(b?.against?.correctedP).toBeLessThan(1e-4);
    expect(b?.against?.stars).toBe("");
  });

  it("counts runs without a number instead of filling them in", () => {
    const { panels, notes } = compare(toFile({ e: { GRPO: [0.1, "", "nan", 0.3, 0.2], B: [1, 1, 1, 1, 1] } }));
    expect(panels[0]?.methods[0]).toMatchObject({ n: 3, numMissing: 2, mean: expect.closeTo(0.2, 10) });
    expect(notes.join("\n")).toContain("2 runs have no number");
  });
});

describe("collapses", () => {
  it("come from the file's column, and switch the panel to the permutation test", () => {
    const rows = [0.1, 0.8, 0.81, 0.82, 0.05].map((value, seed) => `e,SAPO,${seed},${value},${value < 0.2 ? 1 : 0}`);
    const healthy = [0.7, 0.71, 0.72, 0.73, 0.74].map((value, seed) => `e,GRPO,${seed},${value},0`);
    const { panels, collapses } = compare(["env,method,seed,value,collapsed", ...rows, ...healthy].join("\n"));
    const sapo = panels[0]?.methods[0];
    expect([collapses, panels[0]?.test]).toEqual(["column", "permutation"]);
    expect(sapo?.collapses).toMatchObject({ k: 2, n: 5, interval: { low: expect.closeTo(0.1176, 4) } });
    expect(sapo?.worstFifth).toBe(0.05);
    expect(sapo?.against?.collapseP).toBeCloseTo(0.4444, 4);
  });

  it("are told from final window and best where there is no column", () => {
    const lines = Object.entries({ "final-window": [0.1, 0.6], best: [0.8, 0.7] }).flatMap(([rule, values]) =>
      values.map((value, seed) => `e,GRPO,${seed},${rule},${value}`),
    );
    const { panels, collapses, rule } = compare(["env,method,seed,checkpoint_rule,value", ...lines].join("\n"));
    expect([rule, collapses, panels[0]?.methods[0]?.collapses?.k]).toEqual(["final-window", "halfOfBest", 1]);
  });

  it("tells no collapse of a reward from half of its best: its zero says nothing", () => {
    const file = (best: number, final: number) =>
      [
        "env,method,seed,metric,checkpoint_rule,value",
        `sokoban,GRPO,0,evaluation/returnMean,best,${best}`,
        `sokoban,GRPO,0,evaluation/returnMean,final-window,${final}`,
      ].join("\n");
    expect([compare(file(-1, -1.2)).collapses, compare(file(99, 98.8)).collapses]).toEqual(["unknown", "unknown"]);
  });

  it("are unknown otherwise, and that is said", () => {
    const { panels, notes } = compare(worked);
    expect(panels[0]?.methods[0]?.collapses).toBeUndefined();
    expect(notes.join("\n")).toContain("Collapsed: unknown");
  });
});

describe("pooled tasks", () => {
  const s = { a: [0.2, 0.4, 0.3, 0.25], b: [0.55, 0.6, 0.1, 0.65], c: [0.9, 0.95, 1, 0.85] };
  const t = { a: [0.15, 0.35, 0.1, 0.2], b: [0.5, 0.45, 0.4, 0.58], c: [0.7, 0.8, 0.95, 0.75] };
  const file = toFile(
    Object.fromEntries((["a", "b", "c"] as const).map((env) => [env, { GRPO: t[env], SAMPO: s[env] }])),
  );

  it("have the worked example's numbers, environments drawn independently", () => {
    const { pooled } = compare(file, { numResamples: 20_000 });
    if (pooled.kind !== "pooled") throw new Error(pooled.reason);
    expect(pooled.tasks).toEqual(["a (all)", "b (all)", "c (all)"]);
    const [grpo, sampo] = pooled.methods;
    expect([grpo?.iqm.value, sampo?.iqm.value]).toEqual([expect.closeTo(0.496667, 6), expect.closeTo(0.558333, 6)]);
    // Resampled means are multiples of 0.05 / 6, so a sampled limit may be one multiple away from the expected one.
    expect(Math.abs((sampo?.iqm.interval.low ?? NaN) - 0.4333)).toBeLessThan(0.0085);
    expect(Math.abs((sampo?.iqm.interval.high ?? NaN) - 0.6333)).toBeLessThan(0.0085);
    expect(sampo?.median.value).toBeCloseTo(0.475, 10);
    expect(sampo?.optimalityGap.value).toBeCloseTo(0.4375, 10);
    expect(sampo?.improvement?.value).toBeCloseTo(0.770833, 6);
    expect(grpo?.improvement).toBeUndefined();
    expect(sampo?.profile.shares[10]).toBeCloseTo(0.5833, 4);
  });

  it("are whole environments where the file has them, not their sub-tasks besides", () => {
    const lines = ["all", "heat", "cool"].flatMap((subtask) =>
      [0.1, 0.2, 0.3].map((value, seed) => `alfworld,${subtask},GRPO,${seed},${value}`),
    );
    const text = ["env,subtask,method,seed,value", ...lines, "sokoban,all,GRPO,0,0.5"].join("\n");
    const { pooled } = compare(text);
    expect(pooled).toMatchObject({ kind: "pooled", tasks: ["alfworld (all)", "sokoban (all)"] });
  });

  it("draw runs as a whole that yield several sub-tasks", () => {
    // Values are equal in both sub-tasks. If runs are resampled as a whole, the standard error is √2 times as large as
    // if sub-tasks are resampled separately.
    const values = [0.1, 0.9, 0.2, 0.8, 0.3, 0.7];
    const lines = (env: (subtask: number) => string, subtask: (subtask: number) => string) =>
      [0, 1].flatMap((task) => values.map((value, seed) => `${env(task)},${subtask(task)},GRPO,${seed},${value}`));
    const errorOf = (rows: string[]) => {
      const { pooled } = compare(["env,subtask,method,seed,value", ...rows].join("\n"), { numResamples: 5000 });
      return pooled.kind === "pooled" ? pooled.methods[0]?.mean.standardError : undefined;
    };
    const together = errorOf(
      lines(
        () => "alfworld",
        (task) => `t${task}`,
      ),
    );
    const apart = errorOf(
      lines(
        (task) => `e${task}`,
        () => "all",
      ),
    );
    expect((together ?? NaN) / (apart ?? NaN)).toBeCloseTo(Math.SQRT2, 1);
  });

  it("are not pooled over different scales, and a method without a task is named", () => {
    const scales = compare(toFile({ a: { GRPO: [0.5, 0.6] }, b: { GRPO: [45, 50] } }));
    expect(scales.pooled).toMatchObject({ kind: "none", reason: expect.stringContaining("one scale") });
    const { pooled } = compare(toFile({ a: { GRPO: [0.5], B: [0.6] }, b: { GRPO: [0.5] } }));
    expect(pooled).toMatchObject({ leftOut: ["B"] });
    if (pooled.kind === "pooled") expect(pooled.methods[0]?.iqm.interval.low).toBeNaN();
  });
});

it("warns of the best checkpoint, and chooses among several metrics and rules only as told", () => {
  const text = "env,method,seed,metric,checkpoint_rule,value\ne,m,0,kl,best,1\ne,m,0,kl,last,2\ne,m,0,success,best,3";
  const { metric, rule, notes } = compare(text);
  expect([metric, rule]).toEqual(["kl", "best"]);
  expect(notes.join("\n")).toMatch(/Other metrics in the file: success.*\n?.*Other checkpoint rules in the file: last/);
  expect(notes.join("\n")).toContain("8.5 points higher");
  expect(() => compare(text, { rule: "final" })).toThrow('there is no checkpoint rule "final"; there are best, last');
});

it("counts a lower value as the better one where the metric says so", () => {
  const { panels } = compare(toFile({ e: { GRPO: [5, 6, 7], B: [1, 2, 3] } }), { better: "down" });
  expect(panels[0]?.methods[1]).toMatchObject({ worstFifth: 3, against: { improvement: { value: 1 } } });
});
