import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { conflictsOf } from "#trainer/spec/conflicts.ts";
import { makeRecorder } from "./testing/recorder.ts";
import { choosePoints, kinds, type Point } from "./testing/randomPoints.ts";
import { train } from "./train.ts";

const folder = mkdtempSync(join(tmpdir(), "arlarena-points-"));
afterAll(() => rmSync(folder, { recursive: true }));

const { points, seed, all } = choosePoints(process.env["ARLARENA_POINTS"]);
const numTraining = (some: readonly Point[]): number => some.filter(({ isRefused }) => !isRefused).length;
console.log(`${points.length} of ${all.length} random points: ARLARENA_POINTS=${seed} (all: ARLARENA_POINTS=all)`);

describe(`${points.length} of ${all.length} random points of the four dimensions and the update`, () => {
  it("nearly half of them all train, and half of those chosen at least", () => {
    expect(numTraining(all)).toBeGreaterThan(85);
    expect(numTraining(points)).toBeGreaterThanOrEqual(Math.min(points.length, 40) / 2);
  });

  it("every kind of each dimension is among those that train", () => {
    const trained = points.filter(({ isRefused }) => !isRefused);
    const count = (some: readonly Point[]) => kinds.map((kindOf) => new Set(some.map(kindOf)).size);
    expect(count(all)).toEqual([5, 15, 13, 6]);
    expect(count(trained)).toEqual(count(all));
  });

  it.each(points)(
    "seed $seed trains three iterations with finite values, or is refused with a reason",
    async (point) => {
      if (point.isRefused) {
        const texts = conflictsOf(point.spec).flatMap(({ path, message }) => [path, message]);
        expect(texts.filter((text) => text.length <= 5)).toEqual([]);
        return;
      }
      const { run: context, lines } = makeRecorder(folder);
      expect(await train(point.spec, context)).toMatchObject({ exit: "completed" });
      expect(lines.at(-1)?.iteration).toBe(3);
      expect(lines.flatMap((line) => Object.entries(line.values)).filter(([, x]) => !Number.isFinite(x))).toEqual([]);
    },
  );
});

it("a seed chooses the same points again, another seed others", () => {
  const seedsOf = (choice: string) => choosePoints(choice).points.map(({ seed }) => seed);
  expect(seedsOf("7")).toEqual(seedsOf("7"));
  expect(seedsOf("8")).not.toEqual(seedsOf("7"));
  expect(seedsOf("all")).toHaveLength(200);
});
