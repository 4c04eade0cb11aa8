import { describe, expect, it } from "vitest";
import { split } from "#trainer/spec/rng.ts";
import { planMemory } from "./memory.ts";
import { countPositions, microBatches } from "./batch.ts";

const row = (prompt: number, response: number) => ({
  prompt: new Int32Array(prompt),
  response: new Int32Array(response),
});
const rng = split(1, "rows");
const rows = Array.from({ length: 300 }, () => row(20 + rng.int(40), 3 + rng.int(9)));
const shapesOf = (count: number, limit = 64) =>
  microBatches(rows.slice(0, count), () => limit).map(({ shape }) => shape);

describe("micro-batches", () => {
  it("hold every row once, and every row fits", () => {
    const parts = microBatches(rows, () => 64);
    expect(parts.flatMap((part) => part.rows.map(({ index }) => index)).toSorted((a, b) => a - b)).toEqual([
      ...rows.keys(),
    ]);
    for (const { shape, rows: own } of parts) {
      expect(own.length).toBeLessThanOrEqual(shape.numRows);
      for (const { row } of own) {
        expect(row.prompt.length + row.response.length - 1).toBeLessThanOrEqual(shape.numTokens);
        expect(row.response.length).toBeLessThanOrEqual(shape.numSelected);
      }
    }
  });

  it("waste less than 15 % of their positions on mixed lengths", () => {
    const { held, padded } = countPositions(microBatches(rows, () => 64));
    expect(padded / (held + padded)).toBeLessThan(0.15);
  });

  it.each([
    [64, [64]],
    [65, [64, 8]],
    [100, [64, 32, 8]],
    [3, [8]],
  ])("%i rows are cut into %j", (count, expected) => {
    expect(shapesOf(count).map(({ numRows }) => numRows)).toEqual(expected);
  });

  it("are as small as the memory asks for", () => {
    expect(shapesOf(5, 2).map(({ numRows }) => numRows)).toEqual([2, 2, 2]);
    const config = { size: "mini", vocabularySize: 100, contextTokens: 1024, positions: "learned" } as const;
    const [small, large] = [planMemory(config, 700), planMemory(config, 8000)];
    expect(large.rowLimit({ numTokens: 1024, numSelected: 1024 })).toBeGreaterThan(
      small.rowLimit({ numTokens: 1024, numSelected: 1024 }),
    );
    expect(small.rowLimit({ numTokens: 1024, numSelected: 1024 })).toBeGreaterThanOrEqual(1);
    expect(large.rowLimit({ numTokens: 32, numSelected: 32 })).toBe(64);
    expect(large.decodeRows).toBeGreaterThan(small.decodeRows);
  });
});
