import { describe, expect, it } from "vitest";
import { split } from "#trainer/spec/rng.ts";
import { friedman, race } from "./racing.ts";
import { fixtures } from "./testing/fixtures.ts";

it.each(fixtures.friedman)("is SciPy's Friedman test: $statistic", ({ table, statistic, p }) => {
  expect(friedman(table).statistic).toBeCloseTo(statistic, 10);
  expect(friedman(table).p).toBeCloseTo(p, 10);
});

describe.each(["friedman", "t"] as const)("a race by %s", (kind) => {
  const rule = { kind, level: 0.95, minBlocks: 5 };
  const noisy = (seed: number, gaps: readonly number[], numBlocks: number) => {
    const rng = split(seed, "race");
    return gaps.map((gap) => Array.from({ length: numBlocks }, () => gap + rng.normal()));
  };

  it("keeps whom nothing tells apart in about 19 of 20 races", () => {
    const wrong = Array.from(
      { length: 300 },
      (_, seed) => race(rule, noisy(seed, [0, 0, 0, 0], 10)).dropped.length > 0,
    );
    expect(wrong.filter(Boolean).length / 300).toBeLessThan(0.12);
  });

  it("drops a trial that is far behind, and none before there are five seeds", () => {
    const losses = noisy(1, [0, 0.1, 9], 6);
    expect(race(rule, losses)).toMatchObject({ left: [0, 1], dropped: [2] });
    expect(
      race(
        rule,
        losses.map((row) => row.slice(0, 4)),
      ).dropped,
    ).toEqual([]);
  });

  it("drops nobody where all are equal", () => {
    expect(
      race(rule, [
        [1, 1, 1, 1, 1],
        [1, 1, 1, 1, 1],
      ]).dropped,
    ).toEqual([]);
  });
});
