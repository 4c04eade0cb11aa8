import { expect, it } from "vitest";
import { split } from "#trainer/spec/rng.ts";
import { plotFrame } from "./axes.ts";
import { cutName, laneFor, placeLineNames, roomFor, roomForNames, shortNames } from "./lineEnds.ts";

it("cuts long names in their middle, so that those that begin alike stay apart", () => {
  const names = ["GiGPO learning rate 0.0001", "GiGPO learning rate 0.0003"].map((name) => cutName(name, 100));
  expect(new Set(names).size).toBe(2);
  for (const name of names) expect(name).toMatch(/^GiGPO….*000[13]$/);
  expect(cutName("GRPO", roomFor(["GRPO"], 600) ?? 0)).toBe("GRPO");
});

it("leaves out what all lines begin with where a name has no room", () => {
  const short = (names: readonly string[], room: number) =>
    shortNames(
      names.map((label) => ({ label, isLevel: label.startsWith("Baseline") })),
      room,
    );
  const names = ["GRPO learning rate 3e-4, lag 0", "GRPO learning rate 1e-3, lag 16"];
  expect(short(names, 120)).toEqual(["3e-4, lag 0", "1e-3, lag 16"]);
  expect(short(names, 400)).toEqual(names);
  expect(short([...names, "Baseline 0.751"], 130)[2]).toBe("Baseline 0.751");
  // The last word of each name is kept.
  expect(short(["GRPO learning rate 0.0003", "GRPO learning rate"], 110)).toEqual(["rate 0.0003", "rate"]);
  expect(short(["GRPO learning rate 0.0003"], 100)).toEqual(["0.0003"]);
});

it("keeps the usual margin, beside whiskers if there are any, where a figure is too narrow for names", () => {
  const whisker = { id: "a", color: "", x: 1, y: 1, low: 0, high: 2 };
  const room = (whiskers: (typeof whisker)[], width: number, isCrowded = true) =>
    roomForNames({ isCrowded, rows: [], references: [], whiskers }, width);
  expect(room([], 359)).toBeUndefined();
  expect(room([whisker], 359)).toBe(plotFrame.right + laneFor({ whiskers: [whisker] }));
  expect(room([], 360)).toBeGreaterThanOrEqual(plotFrame.right);
  expect(room([], 360, false)).toBeUndefined();
});

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
  // Names are in the order of the lines' ends.
  const ys = names.map(({ y }) => y);
  expect(ys).toEqual(ys.toSorted((a, b) => a - b));
});
