import { expect, it } from "vitest";
import { directionsOf, drawScramble, sobolCoordinate } from "./sobol.ts";
import { fixtures } from "./testing/fixtures.ts";

it("gives SciPy's points in SciPy's order, in each of 48 dimensions", () => {
  const { plain } = fixtures.sobol;
  const ours = plain.map((row, i) => row.map((_, d) => sobolCoordinate(i, directionsOf(d))));
  expect(ours).toEqual(plain);
  expect(() => directionsOf(48)).toThrow("dimension 48");
});

it("gives SciPy's scrambled points under SciPy's scramble", () => {
  const { rows, shift, points } = fixtures.sobol.scrambled;
  const ours = points.map((row, i) =>
    row.map((_, d) => sobolCoordinate(i, directionsOf(d), { rows: rows[d] ?? [], shift: shift[d] ?? NaN })),
  );
  expect(ours).toEqual(points);
});

it("puts one of 64 scrambled points into each 64th of every axis, whatever the seed", () => {
  for (const seed of [0, 1, 2]) {
    for (const dimension of [0, 1, 5, 47]) {
      const scramble = drawScramble(seed, dimension);
      const cells = Array.from({ length: 64 }, (_, i) =>
        Math.floor(64 * sobolCoordinate(i, directionsOf(dimension), scramble)),
      );
      expect(new Set(cells).size).toBe(64);
    }
  }
  expect(drawScramble(0, 1)).not.toEqual(drawScramble(1, 1));
});
