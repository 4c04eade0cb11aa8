import { expect, it } from "vitest";
import { summariseTransfer } from "./summariseTransfer.ts";
import { toTransferCsv, toTransferTable } from "./transferTable.ts";
import { reportTransfer, type TransferRun } from "./transfer.ts";

/** Makes a run with success rates before and after training in each of two environments. */
const run = (environment: string, seed: number, [a, b]: readonly [before: number, after: number][]): TransferRun => ({
  runId: `${environment}${seed}`,
  seed,
  configuration: "GRPO",
  environment,
  values: new Map([
    ["small", { before: a?.[0] ?? NaN, after: a?.[1] ?? NaN }],
    ["large", { before: b?.[0] ?? NaN, after: b?.[1] ?? NaN }],
  ]),
});

const runs = [
  run("small", 0, [
    [0.5, 0.8],
    [0.1, 0.2],
  ]),
  run("small", 1, [
    [0.5, 0.9],
    [0.1, 0.3],
  ]),
  run("small", 2, [
    [0.4, 0.7],
    [0.2, 0.4],
  ]),
  run("large", 0, [
    [0.3, 0.6],
    [0.2, 0.5],
  ]),
  run("large", 1, [
    [0.3, 0.5],
    [0.2, 0.7],
  ]),
  run("large", 2, [
    [0.3, 0.4],
    [0.2, 0.6],
  ]),
  // A run that another sweep repeats counts once.
  run("large", 2, [
    [0.3, 0.9],
    [0.2, 0.9],
  ]),
];

it("pairs each run with its own start, and with the same seed trained in the column's environment", () => {
  const { columns, rows } = reportTransfer(runs);
  expect(columns).toEqual(["small", "large"]);
  expect(rows.map(({ environment, runIds }) => [environment, runIds.length])).toEqual([
    ["small", 3],
    ["large", 3],
  ]);
  const [own, away] = rows[0]?.cells ?? [];
  expect(own).toMatchObject({ isOwn: true, after: { mean: expect.closeTo(0.8) }, toOwn: { n: 0 } });
  expect(away?.after.mean).toBeCloseTo(0.3);
  // The changes .1, .2 and .2 have mean 1/6 and sd 0.0577; t(2) = 4.3027.
  const halfWidth = (4.302652729749464 * Math.sqrt(1 / 300)) / Math.sqrt(3);
  expect(away?.change).toEqual({
    mean: expect.closeTo(1 / 6),
    n: 3,
    interval: { low: expect.closeTo(1 / 6 - halfWidth), high: expect.closeTo(1 / 6 + halfWidth) },
  });
  // The differences are .2 − .5, .3 − .7 and .4 − .6.
  expect(away?.toOwn).toMatchObject({ mean: expect.closeTo(-0.3), n: 3 });
});

it("counts only the seeds that have a value, and leaves out what nobody measured", () => {
  const { rows } = reportTransfer([
    run("small", 0, [
      [0.5, 0.8],
      [0.1, NaN],
    ]),
    run("large", 0, [
      [NaN, NaN],
      [0.1, 0.4],
    ]),
  ]);
  expect(rows.map(({ cells }) => cells.map(({ after, toOwn }) => [after.n, toOwn.n]))).toEqual([
    [
      [1, 0],
      [0, 0],
    ],
    [
      [0, 0],
      [1, 0],
    ],
  ]);
});

it("is a table of levels and both differences, and one line a run and environment as CSV", () => {
  const titleOf = (environment: string) => environment.toUpperCase();
  const table = toTransferTable(reportTransfer(runs), { measure: "successRate", titleOf });
  expect(table.columns.map(({ group, header }) => [group, header].filter(Boolean).join(" "))).toEqual([
    "Trained in",
    ...["SMALL", "LARGE"].flatMap((group) =>
      ["After", "Change", "vs. trained there"].map((header) => `${group} ${header}`),
    ),
  ]);
  expect(table.rows.map(({ cells }) => cells.map(({ kind }) => kind))).toEqual([
    ["text", "estimate", "estimate", "missing", "estimate", "estimate", "estimate"],
    ["text", "estimate", "estimate", "estimate", "estimate", "estimate", "missing"],
  ]);
  expect(toTransferCsv(runs.slice(0, 1), titleOf).split(/\r?\n/).slice(0, 3)).toEqual([
    "run,configuration,trained in,seed,evaluated in,before,after",
    "small0,GRPO,SMALL,0,SMALL,0.5,0.8",
    "small0,GRPO,SMALL,0,LARGE,0.1,0.2",
  ]);
});

it("is said in a sentence with the largest effects, compared with runs trained there if the start is unknown", () => {
  const sentence = (given: readonly TransferRun[]) => summariseTransfer(reportTransfer(given), (name) => name);
  // From small to large +16.7 ± 14.3 points; from large to small +20 ± 24.8.
  expect(sentence(runs)).toBe(
    "Training elsewhere raises success in 1 of 2 transfers (small to large: +16.7 [2, 31] points); no effect is shown for 1.",
  );
  const silent = runs.map((one) => ({
    ...one,
    values: new Map([...one.values].map(([name, { after }]) => [name, { before: NaN, after }])),
  }));
  // The differences from runs trained there are −.3 ± .248 in both: −.3, −.4, −.2 and −.2, −.4, −.3.
  expect(sentence(silent)).toBe(
    "Training elsewhere instead of there raises success in 0 of 2 transfers; lowers it in 2 (most from large to small: −30.0 [−55, −5] points).",
  );
  expect(sentence([])).toBe("");
});
