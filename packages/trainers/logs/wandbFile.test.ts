import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { isWandbFile, readWandbFile } from "./wandbFile.ts";

/** File written by the W&B client itself with testing/makeWandbRun.py. */
const bytes = new Uint8Array(readFileSync(new URL("testing/wandbRun.wandb", import.meta.url)));
const block = 32 * 1024;

describe("the file of an offline W&B run", () => {
  const run = readWandbFile(bytes);

  it("tells the run's name and id, and every step with its numbers, whatever they are", () => {
    expect(isWandbFile(bytes)).toBe(true);
    expect([run.name, run.id, run.notes]).toEqual(["grpo_sokoban_seed3", "fixture1", []]);
    expect(run.steps.map(({ step }) => step)).toEqual(Array.from({ length: 24 }, (_, step) => step));
    expect(run.steps[0]?.values).toEqual({
      "actor/grad_norm": 0.5,
      "episode/success_rate": 0,
      "nested.deep.count": 0,
      solved: 0,
      "val/success_rate": 0.25,
    });
    expect([9, 10, 11].map((step) => run.steps[step]?.values["actor/grad_norm"])).toEqual([NaN, Infinity, -Infinity]);
    expect(run.steps[23]?.values).toMatchObject({
      "episode/success_rate": 23 / 32,
      solved: 1,
      "nested.deep.count": 23,
    });
    const times = run.steps.map(({ atMs = NaN }) => atMs);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });

  it("may be torn anywhere: what is whole is read, and the tear is told", () => {
    for (let cut = 7; cut < bytes.length; cut += 211) {
      const torn = readWandbFile(bytes.subarray(0, cut));
      expect(torn.steps).toEqual(run.steps.slice(0, torn.steps.length));
    }
    const last = readWandbFile(bytes.subarray(0, bytes.length - 1));
    expect(last.notes).toEqual(["its end is torn: the last record is left out"]);
    const inPieces = readWandbFile(bytes.subarray(0, block + 20));
    expect(inPieces.steps).toEqual(run.steps.slice(0, inPieces.steps.length));
    expect(inPieces.notes).toHaveLength(1);
  });

  it("goes on at the next block where one is damaged, and says so", () => {
    const damaged = Uint8Array.from(bytes);
    damaged[3000] = 255 - (damaged[3000] ?? 0);
    const { steps, notes } = readWandbFile(damaged);
    expect(notes).toEqual(["1 of its blocks are damaged: what they held from there on is left out"]);
    expect(steps.length).toBeLessThan(24);
    expect(steps.at(-1)).toEqual(run.steps.at(-1));
  });
});

describe("whose count a step is", () => {
  it("the axis that define_metric names, in a file of W&B 0.31", () => {
    const bytes = new Uint8Array(readFileSync(new URL("testing/wandbDefineMetric.wandb", import.meta.url)));
    const { steps, name } = readWandbFile(bytes);
    const rewards = steps.filter(({ values }) => "train/reward" in values);
    expect([name, steps.length]).toEqual(["grpo_own_seed0", 36]);
    expect(rewards.map(({ step }) => step)).toEqual(Array.from({ length: 30 }, (_, i) => 10 * (i + 1)));
    expect(steps.at(-1)).toMatchObject({ step: 300, values: { "val/success_rate": 0.6 } });
  });

  it("of several axes the one that most rows have, and its last value where a row lacks it", () => {
    const rows = [
      { reward: 1, "trainer/global_step": 10 },
      { solved: 0.1, epoch: 1, "trainer/global_step": 10 },
      { reward: 2, "trainer/global_step": 20 },
      { solved: 0.2, epoch: 2 },
    ];
    const { steps } = readWandbFile(writeRun(rows, ["epoch"]));
    expect(steps.map(({ step }) => step)).toEqual([10, 10, 20, 20]);
  });

  it("W&B's own, where the axis belongs to few rows: no training row shares a step with another", () => {
    const training = Array.from({ length: 20 }, (_, i) => ({ reward: i }));
    const { steps } = readWandbFile(writeRun([...training, { solved: 0.5, epoch: 1 }], ["epoch"]));
    expect(steps.map(({ step }) => step)).toEqual(Array.from({ length: 21 }, (_, i) => i));
  });

  const stepsOf = (rows: readonly Record<string, number>[]) =>
    readWandbFile(writeRun(rows)).steps.map(({ step, values }) => [step, Object.values(values)[0]]);

  it("W&B's own, but for a trainer that logs its own in every row", () => {
    expect(stepsOf([{ a: 5 }, { a: 6, "train/step": 9 }])).toEqual([
      [0, 5],
      [1, 6],
    ]);
    expect(
      stepsOf([
        { a: 5, "train/global_step": 8 },
        { a: 6, "eval/global_step": 9 },
      ]),
    ).toEqual([
      [8, 5],
      [9, 6],
    ]);
    expect(
      stepsOf([
        { a: 5, step: 3 },
        { a: 6, step: 3 },
      ]),
    ).toEqual([
      [3, 5],
      [3, 6],
    ]);
  });

  it("of slime's updates the rollout's before them, with their mean", () => {
    const rows = [
      { reward: 1, "rollout/step": 4 },
      { norm: 1, "train/step": 8 },
      { norm: 3, "train/step": 9 },
    ];
    expect(stepsOf(rows)).toEqual([
      [4, 1],
      [4, 1],
      [4, 2],
    ]);
  });
});

/** Makes history records from the format's description: CRC-32 bit by bit, no piece longer than its block. */
function writeRun(rows: readonly Record<string, number>[], axes: readonly string[] = []): Uint8Array {
  const text = (value: string) => [...new TextEncoder().encode(value)];
  const field = (number: number, content: readonly number[]) => [
    ...(number < 16 ? [number * 8 + 2] : [((number * 8 + 2) & 0x7f) | 0x80, number >> 4]),
    content.length,
    ...content,
  ];
  const definitions = axes.map((axis) => field(12, field(4, text(axis))));
  const history = rows.map((row, i) => {
    const items = Object.entries(row).flatMap(([key, value]) =>
      field(1, [...field(1, text(key)), ...field(16, text(String(value)))]),
    );
    return field(2, [...items, ...field(2, [8, i])]);
  });
  const records = [...definitions, ...history].flatMap((record) => {
    let crc = 0xffffffff;
    for (const byte of [1, ...record]) {
      crc ^= byte;
      for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
    }
    const sum = ~crc >>> 0;
    return [...[0, 8, 16, 24].map((shift) => (sum >>> shift) & 0xff), record.length, 0, 1, ...record];
  });
  return Uint8Array.from([...text(":W&B"), 0, 0, 0, ...records]);
}
