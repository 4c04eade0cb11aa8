import { expect, it } from "vitest";
import { split } from "#trainer/spec/rng.ts";
import { placeLineNames } from "./placeLineNames.ts";

const end = (y: number, i: number) => ({ id: String(i), label: `line ${i}`, x: 100, y });
const plot = { y: 8, height: 200 };

it("leaves names at their lines where there is room", () => {
  expect(placeLineNames([150, 20, 80].map(end), plot).names.map(({ id, at }) => [id, at])).toEqual([
    ["1", 20],
    ["2", 80],
    ["0", 150],
  ]);
});

it("sets off names of lines that end together, around their middle", () => {
  expect(placeLineNames([100, 100, 100].map(end), plot).names.map(({ at }) => at)).toEqual([87, 100, 113]);
});

it.each(Array.from({ length: 50 }, (_, i) => i))("covers no name and leaves no plot, drawing %i", (seed) => {
  const rng = split(seed, "names");
  const ends = Array.from({ length: 1 + rng.int(25) }, (_, i) => end(8 + 200 * rng.next() ** 3, i));
  const { names, numLeft } = placeLineNames(ends, plot);
  expect(names.length + numLeft).toBe(ends.length);
  const tops = names.map(({ at }) => at);
  for (const [i, at] of tops.entries()) {
    expect(at - (tops[i - 1] ?? -Infinity)).toBeGreaterThanOrEqual(13 - 1e-9);
    expect(at).toBeGreaterThanOrEqual(plot.y + 6.5 - 1e-9);
    expect(at).toBeLessThanOrEqual(plot.y + plot.height - 6.5 + 1e-9);
  }
  // In the order of the lines' ends.
  const ys = names.map(({ y }) => y);
  expect(ys).toEqual(ys.toSorted((a, b) => a - b));
});
