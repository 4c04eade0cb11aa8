import { expect, test } from "vitest";
import { stitch, superseded, type Part } from "./stitch.ts";

function part(key: string, firstIteration: number, iterations: readonly number[], value: number): Part {
  return {
    key,
    firstIteration,
    iterations: Int32Array.from(iterations),
    values: Float64Array.from(iterations, () => value),
  };
}

test("an attempt that went on from a checkpoint replaces what the one before had logged beyond it", () => {
  const stitched = stitch([part("loss/total", 1, [0, 1, 2, 3, 4], 1), part("loss/total", 3, [3, 4, 5], 2)]);
  expect([...stitched.iterations]).toEqual([0, 1, 2, 3, 4, 5]);
  expect([...stitched.values]).toEqual([1, 1, 1, 2, 2, 2]);
});

test("an attempt that began anew replaces everything", () => {
  expect([...stitch([part("loss/total", 1, [0, 1, 2], 1), part("loss/total", 1, [0], 2)]).values]).toEqual([2]);
});

test.each(["clone/loss", "rejection/keptEpisodes"])("epochs of %s stay when training goes on at iteration 3", (key) => {
  const resumed = { ...part(key, 3, [], 2) };
  expect([...stitch([part(key, 1, [1, 2, 3, 4, 5], 1), resumed]).iterations]).toEqual([1, 2, 3, 4, 5]);
});

test("what was replaced is a branch of its attempt, from the last point that counts on", () => {
  const parts = [
    part("loss/total", 1, [0, 1, 2, 3, 4], 1),
    part("loss/total", 3, [3, 4, 5], 2),
    part("loss/total", 5, [5, 6], 3),
  ];
  expect(superseded(parts).map(({ iterations, values }) => [...iterations].map((x, i) => [x, values[i]]))).toEqual([
    [
      [2, 1],
      [3, 1],
      [4, 1],
    ],
    [
      [4, 2],
      [5, 2],
    ],
  ]);
  expect(superseded(parts.slice(0, 1))).toEqual([]);
});

test("an attempt that began anew leaves the whole of the one before as its branch", () => {
  const [branch] = superseded([part("loss/total", 1, [0, 1, 2], 1), part("loss/total", 1, [0], 2)]);
  expect([...(branch?.iterations ?? [])]).toEqual([0, 1, 2]);
});
